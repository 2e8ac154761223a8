/** A line on stderr for work that takes longer than two seconds; on a terminal it is drawn over, else shown rarely. */
import type { Io } from './io.ts';
import { bytes, count } from './plain-text.ts';

export type Unit = 'bytes' | 'events' | 'texts' | 'files' | 'frames' | 'runs';
export type Progress = { reach: (done: number, total?: number) => void; end: () => void };

const PATIENCE_MS = 2000;

export function progressOn(
  { err, isErrTerminal }: Pick<Io, 'err' | 'isErrTerminal'>,
  what: string,
  unit: Unit,
): Progress {
  const every = isErrTerminal ? 200 : 10_000;
  let next = performance.now() + PATIENCE_MS;
  let wasShown = false;
  return {
    reach: (done, total) => {
      if (performance.now() < next) return;
      next = performance.now() + every;
      wasShown = true;
      const line = `${what}: ${amount(done, total, unit)}`;
      err(isErrTerminal ? `\r${line}   ` : `${line}\n`);
    },
    end: () => {
      if (wasShown && isErrTerminal) err('\r\u001B[K');
    },
  };
}

function amount(done: number, total: number | undefined, unit: Unit): string {
  if (unit === 'bytes') return `${bytes(done)}${total === undefined ? '' : ` of ${bytes(Math.max(done, total))}`}`;
  const noun = unit.slice(0, -1);
  return total === undefined ? count(done, noun) : `${done} of ${count(Math.max(done, total), noun)}`;
}
