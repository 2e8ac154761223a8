/** What is known while a command is walked, and the words the rules are written in. */
import type { ParsedScript } from 'unbash';
import type { SideEffectClass } from '../../schema/tool.ts';

/** Stands in a text for what is only known when the command runs. A line that contains it is refused. */
export const HOLE = '\uE000';
/** Stands for the number of a process that the command itself started. */
export const JOB = '\uE001';

/** A word as a program will get it. */
export type Arg = {
  text: string;
  /** Part of it is only known when it runs. */
  open: boolean;
  glob: boolean;
  /** It was decoded from, or cut out of, other text: nobody can see what it says. */
  hidden: boolean;
};

/** Where the input of a program comes from. */
export type Stdin =
  | { from: 'nothing' }
  | { from: 'text'; text: string }
  | { from: 'file'; file: Arg }
  /** `fetched`: something from the network or decoded flows in. */
  | { from: 'pipe'; fetched: boolean };

/** What a program would print, when that can be known. */
export type Output = { text: string } | { file: Arg } | null;

/** Set once for a line, shared by all that is in it. */
export type Tally = {
  class: SideEffectClass;
  reason: string;
  programs: Set<string>;
  paths: Set<string>;
  hosts: Set<string>;
  net: boolean;
  /** Work left before the line counts as too involved. */
  budget: number;
  /** Some text holds a substitution inside a subscript, which bash would run where it calculates. */
  codeInText: boolean;
  calculates: boolean;
  decodes: boolean;
  /** Names of files outside the desk are listed somewhere in the line. */
  far: boolean;
};

export type Where = {
  desk: string;
  toolFolder: string;
  systemFolders: readonly string[];
  resolve: (program: string) => string | null;
};

/** One pipeline: whether something in it never ends, and whether something in it ends it. */
export type Flow = { endless: string | null; bounded: boolean };

/** A function of the line itself. */
export type Definition = { name: string; called: boolean; run: (scene: Scene, stdin: Stdin) => void };

/** The state of the shell at one point of the line. */
export type Scene = {
  readonly tally: Tally;
  readonly where: Where;
  readonly parts: Parts;
  cwd: string | null;
  vars: Map<string, readonly Arg[]>;
  /** Every definition in the line; which of those with one name holds when it is called, nobody knows. */
  functions: Definition[];
  positional: readonly Arg[] | null;
  /** The text that positions in the tree count in. */
  source: string;
  /** Symbolic links the line itself makes. */
  links: Map<string, string>;
  /** Files the line itself writes: what is in them, or null when that cannot be seen. */
  written: Map<string, string | null>;
  flow: Flow;
};

/** The other halves of the walk, handed in because they need each other. */
export type Parts = {
  /** Judges a program with its arguments. */
  call: (scene: Scene, args: readonly Arg[], stdin: Stdin) => void;
  /** Judges a text as bash would run it. */
  script: (scene: Scene, text: string) => void;
  /** Judges a command substitution and gives what it prints. */
  substitute: (scene: Scene, script: ParsedScript) => Arg;
  /** Judges a process substitution. */
  feed: (scene: Scene, script: ParsedScript, stdin: Stdin) => void;
};

const ORDER: readonly SideEffectClass[] = ['read', 'write_local', 'external_mutation', 'deny'];

/** The worst class of all parts wins; among equals the first one said. */
export function raise(scene: Scene, to: SideEffectClass, reason: string): void {
  const { tally } = scene;
  if (ORDER.indexOf(to) < ORDER.indexOf(tally.class)) return;
  if (to === tally.class && tally.reason !== '') return;
  tally.class = to;
  tally.reason = reason;
}

export const literal = (text: string): Arg => ({ text, open: false, glob: false, hidden: false });
export const unknown: Arg = { text: HOLE, open: true, glob: false, hidden: false };
export const nothing: Stdin = { from: 'nothing' };

/** A copy in which a subshell, a branch or a function can change what it likes. */
export function branchOf(scene: Scene): Scene {
  return { ...scene, vars: new Map(scene.vars) };
}

export function spend(scene: Scene, amount = 1): boolean {
  scene.tally.budget -= amount;
  if (scene.tally.budget >= 0) return true;
  raise(scene, 'deny', 'it is too involved to be judged');
  return false;
}

/** As a person can read it. */
export function shown(text: string): string {
  const clean = text
    .replaceAll(HOLE, '…')
    .replaceAll(JOB, '$!')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '·');
  return clean.length > 80 ? `${clean.slice(0, 79)}…` : clean;
}
