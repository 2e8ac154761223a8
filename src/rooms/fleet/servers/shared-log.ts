/** Owns: shared values in JetStream: a stream that has the last message of each subject. Reads go to its leader. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';
import { SHARED, sharedSubject } from './fleet-subjects.ts';
import { toAnswer } from './run-log.ts';
import type { SharedLog } from './shared-values.ts';

/** Whoever was refused begins again after a moment by chance, so that many members do not refuse each other for long. */
const MOST_PAUSE_MS = 20;

export function sharedLog({ js, manager }: FleetConnection): SharedLog {
  return {
    read: async (key) => {
      try {
        const stored = await manager.streams.getMessage(SHARED, { last_by_subj: sharedSubject(key) });
        return stored === null ? null : { revision: stored.seq, text: stored.string() };
      } catch (error) {
        throw new OkaError('fleet-down', `the message servers do not answer: ${messageOf(error)}`, { cause: error });
      }
    },
    replace: async (key, revision, text) => {
      const expect = { lastSubjectSequence: revision, streamName: SHARED };
      try {
        await js.publish(sharedSubject(key), text, { expect, timeout: ANSWER_MS });
        return 'stored';
      } catch (error) {
        await sleep(Math.random() * MOST_PAUSE_MS);
        return toAnswer(error).kind;
      }
    },
  };
}
