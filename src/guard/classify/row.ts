/** What is known about a program, as a row of a table. To teach the guard a program: add a row in programs/. */
import type { SideEffectClass } from '../../schema/tool.ts';
import type { Arg, Scene, Stdin } from './scene.ts';

/** What the words are that are no options. `own`: the row's judge says. */
export type Operands = 'text' | 'read' | 'look' | 'write' | 'copy' | 'pattern' | 'own';

/** What an option means: a class with its reason, what its value is, or a judge of its own. */
export type Rule =
  | readonly [SideEffectClass, string]
  | 'reads'
  | 'writes'
  | 'fine'
  | ((value: Arg | null, use: Use) => void);

export type Row = {
  class: SideEffectClass;
  /** Said when the class is worse than write_local. */
  why?: string;
  operands?: Operands;
  /** Letters of short options that take a value. */
  takes?: string;
  /** Long options whose value may be the next word. */
  longs?: readonly string[];
  /** By option, such as -i or --in-place; a shortened long option counts as each one it could mean. */
  rules?: Readonly<Record<string, Rule>>;
  /** Options are words behind one dash, as those of find. */
  wordy?: boolean;
  net?: boolean;
  /** Part of bash itself, found nowhere on the disk. */
  builtin?: boolean;
  judge?: (use: Use) => void;
};

export type Table = Readonly<Record<string, Row>>;

export type Option = { name: string; value: Arg | null };

/** One use of a program, with the words a row needs to judge it. */
export type Use = {
  name: string;
  args: readonly Arg[];
  options: readonly Option[];
  operands: readonly Arg[];
  stdin: Stdin;
  scene: Scene;
  has: (...options: readonly string[]) => boolean;
  raise: (to: SideEffectClass, why: string) => void;
  reads: (arg: Arg) => void;
  looks: (arg: Arg) => void;
  writes: (arg: Arg) => void;
  /** Another program, with the arguments it gets. */
  runs: (args: readonly Arg[], stdin?: Stdin) => void;
  /** A text that bash runs. */
  script: (text: Arg) => void;
  /** Whether a program of this name has a row. */
  knows: (name: string) => boolean;
  /** A host or a URL that is contacted. */
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

/** Something in the pipeline ends it. */
export function bounded({ scene }: Use, yes: boolean): void {
  if (yes) scene.flow.bounded = true;
}
