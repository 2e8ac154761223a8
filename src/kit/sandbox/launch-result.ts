/** What running a command came to, however it was run. */

/** What a stream carried: all of it when nothing is omitted, else its beginning and its end. */
export type Captured = { head: Buffer; tail: Buffer; omitted: number };

export type Launched = {
  exit: number | null;
  signal: string | null;
  /**
   * `not-begun`: it, or whoever had to start it, was stopped before anything happened. `unseen`: it was started, and
   * whoever had to record its end was killed, so that nobody knows what it has done.
   */
  ended:
    | { how: 'itself' | 'aborted' | 'timed-out' | 'not-begun' }
    | { how: 'exceeded'; limit: 'memory' | 'processes' }
    | { how: 'unstarted' | 'unseen'; problem: string };
  stdout: Captured;
  stderr: Captured;
  ms: number;
  /** A hint that the kernel refused it something: it failed, and says so. Always false without a sandbox. */
  denied: boolean;
  /** What failed inside a line and was hidden by a pipe or a list (exit-trace.ts). */
  hidden?: readonly string[];
};

const REFUSALS = /permission denied|operation not permitted|read-only file system|\b(?:EACCES|EPERM|EROFS)\b/i;

const nothing: Captured = { head: Buffer.alloc(0), tail: Buffer.alloc(0), omitted: 0 };

export function notRun(ended: Launched['ended']): Launched {
  return { exit: null, signal: null, ended, stdout: nothing, stderr: nothing, ms: 0, denied: false };
}

export function mentionsRefusal({ ended, exit, stderr }: Pick<Launched, 'ended' | 'exit' | 'stderr'>): boolean {
  if (ended.how === 'unstarted') return REFUSALS.test(ended.problem);
  if (exit === 0) return false;
  return REFUSALS.test(stderr.head.toString('latin1')) || REFUSALS.test(stderr.tail.toString('latin1'));
}
