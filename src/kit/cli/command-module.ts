/**
 * What a command is: a row in a table of commands, and a module beside it that turns options into data and data into
 * text. A module prints nothing by itself; printer.ts does, as text or as JSON.
 */
import type { Readable } from 'node:stream';
import type { HouseRoom } from '../house/house.ts';
import type { Home } from '../../core/schema/home.ts';
import type { OpenDialog, OpenTerminal, Terminal, UnderSupervisor } from './io.ts';
import type { Options, OptionValues } from './options.ts';
import type { Progress, Unit } from './progress.ts';

export type Command = {
  summary: string;
  /** Words behind the name, such as "<file>". */
  operands?: string;
  options?: Options;
  /** Whether --json prints the same as data. */
  json?: boolean;
  example: string;
  /** Loaded only when the command runs, so that the others start fast. */
  load: () => Promise<CommandModule>;
};

/** A command as the index knows it; `load` brings all commands that are declared beside it. */
export type IndexedCommand = { summary: string; load: () => Promise<Readonly<Record<string, Command>>> };
/** `ofRooms`: whether the commands are those of the rooms of the product. */
export type IndexedGroup = { title: string; ofRooms: boolean; commands: Readonly<Record<string, IndexedCommand>> };

/** `Values` is the struct of its options, `Data` what it answers with and what it emits while it runs. */
export type CommandModule<Values = never, Data = never> = {
  run: (call: Call<Values, Data>) => Promise<Answer<Data>>;
  render: (data: Data, terminal: Terminal) => string;
  /** Only where --json is not the data itself on one line. */
  jsonLines?: (data: Data) => readonly unknown[];
  /** Lines that stay below what scrolls by, on a terminal, while the command runs. */
  footer?: (home: Home, terminal: Terminal, signal: AbortSignal) => () => string[];
};

/** Without `data` everything was emitted before, or there is nothing to print. */
export type Answer<Data> = { code: number; data?: Data };

export type Call<Values = object, Data = unknown> = {
  home: Home;
  operands: readonly string[];
  options: Values;
  json: boolean;
  stdin: Readable & { isTTY?: boolean };
  /** Prints data while the command goes on; a line of JSON each with --json. */
  emit(this: void, data: Data): void;
  /** Prints a line for the person at the terminal, on stderr; it is no part of the answer. */
  notify: (line: string) => void;
  /** A line on stderr for work that takes longer than two seconds. */
  progress: (what: string, unit: Unit) => Progress;
  underSupervisor: UnderSupervisor;
  /** Null when nobody sits at a terminal. */
  openDialog: OpenDialog | null;
  openTerminal: OpenTerminal | null;
  /** How text is styled and wrapped where the command writes to the terminal itself. */
  terminal: Terminal;
  /** Runs another command in this process and returns what it has printed. */
  runOther: (words: readonly string[]) => Promise<{ code: number; printed: string }>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The rooms to use; those of the product when there are none. */
  rooms: readonly HouseRoom[] | undefined;
};

/** Documented in README.md and in `oka help`. */
export const exits = { ok: 0, no: 1, usage: 2, refused: 3, waiting: 4, interrupted: 130 } as const;

export function answer<Data>(data: Data, code: number = exits.ok): Answer<Data> {
  return { data, code };
}

/** A row of the table: its options are the ones that its module takes. */
export function command<const Declared extends Options, Data>(
  row: Omit<Command, 'options' | 'load'> & {
    options?: Declared;
    load: () => Promise<CommandModule<OptionValues<Declared>, Data>>;
  },
): Command {
  return row as unknown as Command;
}
