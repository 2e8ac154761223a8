/** Shows how far work on the context tree is, whichever process does it: what is made is in the ledger at once. */
import { errnoOf } from '../../core/schema/errors.ts';
import { changes, knownNow } from '../../kit/views/changes.ts';
import type { Call } from '../../kit/cli/command-module.ts';

export type ProgressCall = Pick<Call, 'home' | 'signal' | 'progress'>;

/** Does the work, and counts the frames that are added meanwhile. */
export async function withContextProgress<T>(call: ProgressCall, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const progress = call.progress('Making frames', 'frames');
  const following = follow(call, AbortSignal.any([call.signal, stop.signal]), progress.reach);
  try {
    return await work();
  } finally {
    stop.abort();
    await following;
    progress.end();
  }
}

async function follow({ home }: ProgressCall, signal: AbortSignal, reach: (frames: number) => void): Promise<void> {
  let frames = 0;
  try {
    for await (const event of changes(home.ledgers, knownNow(home.ledgers, ['run']), { signal })) {
      if (event.type === 'frame.put') reach((frames += 1));
    }
  } catch (error) {
    if (!signal.aborted && errnoOf(error) === undefined) throw error;
  }
}
