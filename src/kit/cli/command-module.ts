/**
 * What a command is: an entry in `commands` of a file in a folder `commands` of its room. It prints nothing; printer.ts
 * does. A file is loaded for its own commands only: what takes long to load is in another file, or imported in `run`.
 */
import type { Readable } from 'node:stream';
import type { HouseRoom } from '../house/house.ts';
import type { Home } from '../../core/schema/home.ts';
import type { OpenDialog, OpenTerminal, Terminal, UnderSupervisor } from './io.ts';
import type { Options, OptionValues } from './options.ts';
import type { Progress, Unit } from './progress.ts';

/** `Values` is the struct of its options, `Data` what it answers with, `Emitted` what it emits while it runs. */
export type Command<Values = never, Data = never, Emitted = never> = {
  summary: string;
  /** Words behind the name, such as "<file>". */
  operands?: string;
  options?: Options;
  /** False where there is no --json. */
  json?: false;
  example: string;
  run: (call: Call<Values, Emitted>) => Promise<Answer<Data>>;
  /** Only where a table, `key: value` or the text itself is not enough (render-data.ts); null where each answer brings its own. */
  render?: ((data: Data | Emitted, terminal: Terminal) => string) | null;
  /** Only where --json is not the data itself on one line. */
  jsonLines?: (data: Data | Emitted) => readonly unknown[];
  /** Lines that stay below what scrolls by, on a terminal, while the command runs. */
  footer?: (home: Home, terminal: Terminal, signal: AbortSignal) => () => string[];
};

/** By name, such as `tools list`. */
export type Commands = Readonly<Record<string, Command>>;

/** A command as the index knows it: its summary, and the file that declares it. */
export type IndexedCommand = readonly [summary: string, load: () => Promise<{ commands: Commands }>];
export type IndexedGroup = { title: string; commands: Readonly<Record<string, IndexedCommand>> };

/**
 * Without `data` everything was emitted before, or there is nothing to print. `render` is how just this data reads, where
 * what renders it is loaded only for data that needs it.
 */
export type Answer<Data> = { code: number; data?: Data; render?: (terminal: Terminal) => string };

export type Call<Values = object, Data = never> = {
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

/** Documented in `oka help`. */
export const exits = { ok: 0, no: 1, usage: 2, refused: 3, waiting: 4, interrupted: 130 } as const;

export function answer<Data>(data: Data, code: number = exits.ok, render?: Answer<Data>['render']): Answer<Data> {
  return render === undefined ? { data, code } : { data, code, render };
}

/**
 * Declares a command; `run` gets what its options say, `render` what `run` returns.
 *
 *     export const commands: Commands = {
 *       'home where': command({
 *         summary: 'Print the folder of oka',
 *         example: 'oka home where',
 *         run: async ({ home }) => answer({ folder: home.dir }),
 *       }),
 *     };
 */
export function command<const Declared extends Options, Data, Emitted = never>(
  declared: Omit<Command<OptionValues<Declared>, Data, Emitted>, 'options'> & { options?: Declared },
): Command {
  return declared as unknown as Command;
}
