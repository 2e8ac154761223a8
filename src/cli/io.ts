/** What a command line is attached to: a process and its terminal, or a test that reads what was written. */
import type { Readable } from 'node:stream';
import { styleText } from 'node:util';

export type Io = {
  out: (text: string) => void;
  err: (text: string) => void;
  stdin: Readable & { isTTY?: boolean };
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Whether stdout is a terminal, and whether stderr is one. */
  isTerminal: boolean;
  isErrTerminal: boolean;
  hasColours: boolean;
  /** Columns of the terminal. */
  width: number;
  underSupervisor: UnderSupervisor;
};

/** Runs work that also stops when the process that supervises this one is gone. */
export type UnderSupervisor = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

type Style = (text: string) => string;

/** What a renderer knows about the place its text goes to. */
export type Terminal = {
  isTerminal: boolean;
  width: number;
  bold: Style;
  dim: Style;
  red: Style;
  green: Style;
  yellow: Style;
};

export function terminalOf({
  isTerminal,
  hasColours,
  width,
}: Pick<Io, 'isTerminal' | 'hasColours' | 'width'>): Terminal {
  const style =
    (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow'): Style =>
    (text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text;
  return {
    isTerminal,
    width,
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
  };
}
