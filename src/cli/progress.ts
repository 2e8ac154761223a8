/** A line on stderr for work that takes longer than two seconds; on a terminal it is drawn over, else shown rarely. */
import { bytes } from './terminal.ts';

export type Progress = { reach: (done: number) => void; end: () => void };

const PATIENCE_MS = 2000;

export function progressOn(err: (text: string) => void, what: string, total: number): Progress {
  const drawn = process.stderr.isTTY;
  const every = drawn ? 200 : 10_000;
  let next = performance.now() + PATIENCE_MS;
  let steps = 0;
  let shown = false;
  return {
    reach: (done) => {
      steps += 1;
      if (steps % 1000 !== 0 || performance.now() < next) return;
      next = performance.now() + every;
      shown = true;
      err(`${drawn ? '\r' : ''}${what}: ${bytes(done)} of ${bytes(Math.max(done, total))}${drawn ? '   ' : '\n'}`);
    },
    end: () => {
      if (shown && drawn) err('\r\u001B[K');
    },
  };
}
