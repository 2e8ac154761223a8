/** What a command line is attached to: a process and its terminal, or a test that reads what was written. */
import type { Readable } from 'node:stream';
import type { Dialog } from './dialog.ts';

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
  /** Columns of the terminal; without one text has no limit. */
  width: number;
  underSupervisor: UnderSupervisor;
  /** Asks the person at the terminal; null unless both stdin and stdout are one. */
  openDialog: OpenDialog | null;
  /** The terminal itself, for what draws on it; null unless both stdin and stdout are one. */
  openTerminal: OpenTerminal | null;
};

/** A terminal whose keys are read one by one. */
export type TerminalDevice = {
  /** Calls back with what is typed, until the returned function is called. */
  readKeys: (onChunk: (chunk: string) => void, onEnd: () => void) => () => void;
  write: (text: string) => void;
  columns: () => number;
  rows: () => number;
  onResize: (listener: () => void) => () => void;
};

export type OpenTerminal = () => Promise<TerminalDevice>;

/** `until` ends it without an answer, as Ctrl-C does. */
export type OpenDialog = (until?: AbortSignal) => Promise<Dialog>;

/** Runs work that also stops when the process that supervises this one is gone. */
export type UnderSupervisor = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

type Style = (text: string) => string;

/** What a renderer knows about the place its text goes to. */
export type Terminal = {
  isTerminal: boolean;
  width: number;
  /** An instant of the ledger as "2026-01-31 09:15", in the zone of this machine; in UTC, and marked so, with --utc. */
  toMinute: (at: string) => string;
  /** The same as "09:15:30". */
  toTimeOfDay: (at: string) => string;
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
  utc = false,
}: Pick<Io, 'isTerminal' | 'hasColours' | 'width'> & { utc?: boolean }): Terminal {
  const style =
    (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow'): Style =>
    (text) =>
      hasColours ? process.getBuiltinModule('node:util').styleText(format, text, { validateStream: false }) : text;
  return {
    isTerminal,
    width,
    toMinute: (at) => `${shownInstant(at, utc).slice(0, 16)}${utc ? ' UTC' : ''}`,
    toTimeOfDay: (at) => shownInstant(at, utc).slice(11),
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
  };
}

/** "2026-01-31 09:15:30"; Intl would cost 15 ms of start-up. */
function shownInstant(at: string, utc: boolean): string {
  const instant = new Date(at);
  const local = utc ? instant : new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
