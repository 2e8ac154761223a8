/** Owns: the state while a command is walked, and the types its rules are written with. */
import type { OpenFolder } from '../../schema/folder.ts';
import type { ParsedScript } from 'unbash';
import type { SideEffectClass } from '../../schema/effect.ts';

/** Placeholder in a text for what is not known before the command runs. A line that contains it literally is denied. */
export const HOLE = '\uE000';
/** Placeholder for the id of a process that the line itself started. */
export const JOB = '\uE001';

/** A word as a program receives it. */
export type Arg = {
  text: string;
  /** Part of it is not known before it runs. */
  open: boolean;
  glob: boolean;
  /** It was decoded from, or cut out of, other text, so a person cannot read it in the line. */
  hidden: boolean;
};

/** Where the input of a program comes from. */
export type Stdin =
  | { from: 'nothing' }
  | { from: 'text'; text: string }
  | { from: 'file'; file: Arg }
  /** `fetched`: the pipe carries something downloaded or decoded. */
  | { from: 'pipe'; fetched: boolean };

/** What a program would print, if that can be known. */
export type Output = { text: string } | { file: Arg } | null;

/** What was found so far; one for a line, shared by all its parts. */
export type Tally = {
  class: SideEffectClass;
  reason: string;
  programs: Set<string>;
  paths: Set<string>;
  hosts: Set<string>;
  net: boolean;
  /** Steps left before the line counts as too complex. */
  budget: number;
  /** Some text contains a substitution inside a subscript, which bash would run in arithmetic. */
  codeInText: boolean;
  calculates: boolean;
  decodes: boolean;
  /** The line lists names of files outside the desk somewhere. */
  far: boolean;
};

export type Where = {
  desk: string;
  /** Folders outside the desk that the task may use. */
  folders: readonly OpenFolder[];
  toolFolder: string;
  systemFolders: readonly string[];
  resolve: (program: string) => string | null;
  /** The remotes of the git repository that a folder is in. */
  remotes: (folder: string) => readonly { name: string; url: string }[];
  /** The program of the system that a file is a link to or a copy of; null for every other file. */
  copyOf: (path: string) => string | null;
};

/** One pipeline: the program in it that never ends, if any, and whether something in it ends the pipeline. */
type Flow = { endless: string | null; bounded: boolean };

/** A function that the line defines. */
export type Definition = { name: string; called: boolean; run: (state: ShellState, stdin: Stdin) => void };

/** The state of the shell at one point of the line. */
export type ShellState = {
  readonly tally: Tally;
  readonly where: Where;
  readonly parts: Parts;
  cwd: string | null;
  vars: Map<string, readonly Arg[]>;
  /** Every definition in the line; a call is judged as each definition of that name. */
  functions: Definition[];
  positional: readonly Arg[] | null;
  /** The text that positions in the syntax tree refer to. */
  source: string;
  /** Symbolic links that the line itself makes. */
  links: Map<string, string>;
  /** Files that the line itself writes, with their content; null if that is not readable. */
  written: Map<string, string | null>;
  flow: Flow;
};

/** Parts of the walk that call each other; passed along so that their files need not import each other. */
export type Parts = {
  /** Judges a program with its arguments. */
  call: (state: ShellState, args: readonly Arg[], stdin: Stdin) => void;
  /** Judges a text as bash would run it. */
  script: (state: ShellState, text: string) => void;
  /** Judges a command substitution and returns what it prints. */
  substitute: (state: ShellState, script: ParsedScript) => Arg;
  /** Judges a process substitution. */
  feed: (state: ShellState, script: ParsedScript, stdin: Stdin) => void;
};

const ORDER: readonly SideEffectClass[] = ['read', 'write_local', 'external_mutation', 'deny'];

/** The worst class of all parts wins; among equals, the first reason. */
export function raise(state: ShellState, to: SideEffectClass, reason: string): void {
  const { tally } = state;
  if (ORDER.indexOf(to) < ORDER.indexOf(tally.class)) return;
  if (to === tally.class && tally.reason !== '') return;
  tally.class = to;
  tally.reason = reason;
}

export const literal = (text: string): Arg => ({ text, open: false, glob: false, hidden: false });
export const unknown: Arg = { text: HOLE, open: true, glob: false, hidden: false };
export const nothing: Stdin = { from: 'nothing' };

/** A copy for a subshell, a branch or a function, which changes its own variables only. */
export function branchOf(state: ShellState): ShellState {
  return { ...state, vars: new Map(state.vars) };
}

export function spend(state: ShellState, amount = 1): boolean {
  state.tally.budget -= amount;
  if (state.tally.budget >= 0) return true;
  raise(state, 'deny', 'it is too complex to be judged');
  return false;
}

/** Makes a text safe to show: placeholders and control characters replaced, at most 80 characters. */
export function toDisplay(text: string): string {
  const clean = text
    .replaceAll(HOLE, '…')
    .replaceAll(JOB, '$!')
    .replace(/^\/~tmp(?=\/|$)/, () => '$TMPDIR')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '·');
  return clean.length > 80 ? `${clean.slice(0, 79)}…` : clean;
}

/** Several words as one, with blanks between them. */
export function joinArgs(args: readonly Arg[]): Arg {
  return {
    text: args.map(({ text }) => text).join(' '),
    open: args.some(({ open }) => open),
    glob: false,
    hidden: args.some(({ hidden }) => hidden),
  };
}
