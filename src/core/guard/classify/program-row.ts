/** What is known about a program, as a row of a table. To teach the guard a new program, add a row in programs/. */
import type { SideEffectClass } from '../../schema/effect.ts';
import type { Arg, ShellState, Stdin } from './shell-state.ts';

/** What the operands are, that is, the words that are no options. `own`: the row's `judge` decides. */
type Operands = 'text' | 'read' | 'stat' | 'write' | 'copy' | 'pattern' | 'own';

/** What an option means: a class with a reason, how its value is used, or a function that judges it. */
type Rule = readonly [SideEffectClass, string] | 'reads' | 'writes' | 'fine' | ((value: Arg | null, use: Use) => void);

export type Row = {
  class: SideEffectClass;
  /** The reason for the class; needed if the class is worse than write_local. */
  why?: string;
  operands?: Operands;
  /** Letters of short options that take a value. */
  takes?: string;
  /** Long options whose value may be the next word. */
  longs?: readonly string[];
  /** By option, such as -i or --in-place; an abbreviated long option matches every option it could mean. */
  rules?: Readonly<Record<string, Rule>>;
  /** Options are words after one dash, as those of find. */
  wordy?: boolean;
  net?: boolean;
  /** Built into bash, so there is no file for it. */
  builtin?: boolean;
  judge?: (use: Use) => void;
};

export type Table = Readonly<Record<string, Row>>;

export type Option = { name: string; value: Arg | null };

/** One call of a program, with everything a row needs to judge it. */
export type Use = {
  name: string;
  args: readonly Arg[];
  options: readonly Option[];
  operands: readonly Arg[];
  stdin: Stdin;
  state: ShellState;
  has: (...options: readonly string[]) => boolean;
  raise: (to: SideEffectClass, why: string) => void;
  reads: (arg: Arg) => void;
  stats: (arg: Arg) => void;
  writes: (arg: Arg) => void;
  /** Judges another program that this one starts. */
  runs: (args: readonly Arg[], stdin?: Stdin) => void;
  /** Judges a text that this program runs as a shell script. */
  script: (text: Arg) => void;
  /** Whether a program of this name has a row. */
  knows: (name: string) => boolean;
  /** Records a host or a URL that is contacted. */
  contacts: (target: Arg) => void;
};

export const read = (operands: Operands = 'read', more: Partial<Row> = {}): Row => ({
  class: 'read',
  operands,
  ...more,
});
export const local = (operands: Operands = 'write', more: Partial<Row> = {}): Row => ({
  class: 'write_local',
  operands,
  ...more,
});
export const external = (why: string, more: Partial<Row> = {}): Row => ({
  class: 'external_mutation',
  why,
  operands: 'own',
  ...more,
});
export const never = (why: string, more: Partial<Row> = {}): Row => ({ class: 'deny', why, operands: 'own', ...more });

/** The same row under several names. */
export const rows = (names: string, row: Row): Table =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, row]));

/** Records that something in the pipeline ends it. */
export function markBounded({ state }: Use, yes: boolean): void {
  if (yes) state.flow.bounded = true;
}
