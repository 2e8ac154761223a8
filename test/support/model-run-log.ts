/** A model of the stream with the subject of one run, for tests of the fence. */
import { claimRun, type RunFence, type RunLog } from '../../src/rooms/fleet/servers/run-fence.ts';
import type { StoredMessage } from '../../src/rooms/fleet/servers/run-owner.ts';
import type { RunMessage } from '../../src/core/schema/fleet.ts';

export type ModelRunLog = { log: RunLog; stored: StoredMessage[] };

/** `onAppend` learns of every message that is stored. */
export function modelRunLog(onAppend: (message: RunMessage) => void = () => undefined): ModelRunLog {
  const stored: StoredMessage[] = [];
  const log: RunLog = {
    stream: { name: 'OKA_RUNS', created: '2026-01-01T00:00:00.000Z' },
    append: async (_, last, message) => {
      if (last !== (stored.at(-1)?.sequence ?? 0)) return { kind: 'refused' };
      stored.push({ sequence: stored.length + 1, message });
      onAppend(message);
      return { kind: 'appended', sequence: stored.length };
    },
    last: () => Promise.resolve(stored.at(-1) ?? null),
    read: () => Promise.resolve([...stored]),
    next: (worker, sequence) =>
      Promise.resolve(stored.find((each) => each.message.worker === worker && each.sequence > sequence) ?? null),
    pause: () => Promise.resolve(),
  };
  return { log, stored };
}

export async function claimAs(log: RunLog, worker: string): Promise<RunFence> {
  const claimed = await claimRun(log, 'task', { worker, process: worker, version: '1' });
  if (claimed === null) throw new Error('refused');
  return claimed.fence;
}
