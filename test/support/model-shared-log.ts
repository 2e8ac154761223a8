/** A model of the stream of shared values: answers and requests get lost, and others come in between. */
import type * as fc from 'fast-check';
import { OkaError } from '../../src/core/schema/errors.ts';
import type { SharedLog } from '../../src/rooms/fleet/servers/shared-values.ts';

export type SharedFault = 'none' | 'request lost' | 'answer lost' | 'unreachable';

/** `isGuarded: false` stores whatever comes, as a stream without expected sequences would. */
export function modelSharedLog(
  faults: readonly SharedFault[] = [],
  isGuarded = true,
  scheduler?: fc.Scheduler,
): SharedLog {
  const values = new Map<string, { revision: number; text: string }>();
  const left = [...faults];
  let last = 0;
  const pass = async (what: string): Promise<void> => scheduler?.schedule(Promise.resolve(), what);
  const store = (key: string, revision: number, text: string): 'stored' | 'refused' => {
    if (isGuarded && revision !== (values.get(key)?.revision ?? 0)) return 'refused';
    last += 1;
    values.set(key, { revision: last, text });
    return 'stored';
  };
  return {
    read: async (key) => {
      await pass('read');
      if (left[0] === 'unreachable') {
        left.shift();
        throw new OkaError('fleet-down', 'the message servers do not answer');
      }
      const value = values.get(key) ?? null;
      await pass('answer of the read');
      return value;
    },
    replace: async (key, revision, text) => {
      const fault = left.shift() ?? 'none';
      await pass('request');
      const answer = fault === 'request lost' || fault === 'unreachable' ? 'unknown' : store(key, revision, text);
      await pass('answer');
      return fault === 'none' ? answer : 'unknown';
    },
  };
}
