/** Owns: the subjects of runs in JetStream, as the fence sees them. Reads go to the leader of the stream. */
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiError, type StoredMsg } from '@nats-io/jetstream';
import { OkaError } from '../schema/errors.ts';
import { type FleetStream, RunMessage } from '../schema/fleet.ts';
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';
import { RUNS, runSubject } from './fleet-streams.ts';
import type { Appended, RunLog } from './run-fence.ts';
import type { StoredMessage } from './run-owner.ts';

const WRONG_LAST_SEQUENCE = 10071;
const PAUSE_MS = 200;

export function runLog({ js, manager }: FleetConnection, stream: FleetStream): RunLog {
  const get = (query: { seq: number; next_by_subj: string } | { last_by_subj: string }): Promise<StoredMsg | null> =>
    manager.streams.getMessage(RUNS, query);
  return {
    stream,
    append: async (run, last, message): Promise<Appended> => {
      const expect = { lastSubjectSequence: last, streamName: RUNS };
      try {
        const { seq } = await js.publish(runSubject(run), JSON.stringify(message), { expect, timeout: ANSWER_MS });
        return { kind: 'appended', sequence: seq };
      } catch (error) {
        return toAnswer(error);
      }
    },
    last: async (run) => toStored(await get({ last_by_subj: runSubject(run) })),
    read: async (run) => {
      const found: StoredMessage[] = [];
      for (let next = 1; ; ) {
        const stored = toStored(await get({ seq: next, next_by_subj: runSubject(run) }));
        if (stored === null) return found;
        found.push(stored);
        next = stored.sequence + 1;
      }
    },
    pause: () => sleep(PAUSE_MS),
  };
}

/** Everything but a refusal leaves open whether the message is there. A message that is too large never will be. */
function toAnswer(error: unknown): Appended {
  if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return { kind: 'refused' };
  if (error instanceof Error && error.message.includes('MAX_PAYLOAD'))
    throw new OkaError('fleet-refused', 'an event of the run is larger than a message of the fleet may be', {
      fix: 'Raise `max_payload` in the configuration of the servers.',
      cause: error,
    });
  return { kind: 'unknown' };
}

function toStored(stored: StoredMsg | null): StoredMessage | null {
  return stored === null ? null : { sequence: stored.seq, message: RunMessage.parse(stored.json()) };
}
