/**
 * Owns: classifying a command by what it may change, without running it.
 * Does not own: what is done about it (the policy), and the limits that apply even if the class is wrong (the sandbox).
 * 1. Every part of a line is judged, and the worst part decides.
 * 2. What is not literal, not understood or too complex is denied; an unknown program needs an approval.
 * 3. Pure except for `resolve`, which finds a program on the disk, and `remotes`, which reads those of a repository.
 */
import type { Classified, Command } from '../../schema/command.ts';
import type { OpenFolder } from '../../schema/folder.ts';
import { hasInvisible } from '../escape-invisible.ts';
import { judgeCall } from './program-call.ts';
import { programFinder, SYSTEM_FOLDERS } from './find-program.ts';
import {
  branchOf,
  HOLE,
  literal,
  nothing,
  type Parts,
  raise,
  type ShellState,
  type Stdin,
  type Tally,
  unknown,
  type Where,
} from './shell-state.ts';
import { walkScript, walkText } from './walk-script.ts';

export type Surroundings = {
  /** Absolute path of the folder that commands work in. */
  desk: string;
  /** Folders outside the desk that the task may use. */
  folders?: readonly OpenFolder[];
  /** Absolute path of .oka/tools. */
  toolFolder: string;
  systemFolders?: readonly string[];
  resolve?: (program: string) => string | null;
  /** The remotes of the git repository that a folder is in; left out, none is known. */
  remotes?: Where['remotes'];
  copyOf?: Where['copyOf'];
};

const LONGEST = 20_000;
/** The most steps a classification may take; a script of ten kilobytes needs less than half. */
const BUDGET = 4000;
const NOWHERE: Surroundings = { desk: '/oka/workspace/desk', toolFolder: '/oka/.oka/tools' };

export function classify(command: Command, where: Surroundings = NOWHERE): Classified {
  const state = initialState(where);
  if ('argv' in command) classifyArgv(state, command.argv);
  else classifyLine(state, command.line);
  const { class: found, reason, programs, paths, hosts, net } = state.tally;
  return {
    class: found,
    reason: reason || 'it does nothing',
    programs: [...programs],
    paths: [...paths],
    hosts: [...hosts],
    net,
  };
}

function classifyLine(state: ShellState, line: string): void {
  if (line.length > LONGEST) return raise(state, 'deny', `it is longer than ${LONGEST} characters`);
  if (hasInvisible(line)) return raise(state, 'deny', 'it contains invisible characters');
  denyIfTooComplex(state, () => walkText(state, line));
  judgeUncalledFunctions(state);
}

function classifyArgv(state: ShellState, argv: readonly string[]): void {
  if (argv.join(' ').length > LONGEST) return raise(state, 'deny', `it is longer than ${LONGEST} characters`);
  if (argv.some((word) => hasInvisible(word))) return raise(state, 'deny', 'it contains invisible characters');
  denyIfTooComplex(state, () => judgeCall(state, argv.map(literal), nothing));
  judgeUncalledFunctions(state);
}

/** Denies a line on which the walk itself fails, such as one that is nested too deeply. */
function denyIfTooComplex(state: ShellState, walk: () => void): void {
  try {
    walk();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    raise(state, 'deny', 'it is too complex to be judged');
  }
}

function judgeUncalledFunctions(state: ShellState): void {
  const { tally } = state;
  denyIfTooComplex(state, () => {
    for (const definition of state.functions)
      if (!definition.called)
        definition.run({ ...branchOf(state), positional: null }, { from: 'pipe', fetched: false });
  });
  if (tally.codeInText && tally.calculates)
    raise(state, 'deny', 'a text contains a subscript with code in it, and the line does arithmetic');
}

function initialState({
  desk,
  folders = [],
  toolFolder,
  systemFolders = SYSTEM_FOLDERS,
  resolve,
  remotes = () => [],
  copyOf = () => null,
}: Surroundings): ShellState {
  const where: Where = {
    desk,
    folders,
    toolFolder,
    systemFolders,
    resolve: memoize(resolve ?? programFinder(toolFolder, systemFolders)),
    remotes,
    copyOf,
  };
  const tally: Tally = {
    class: 'read',
    reason: '',
    programs: new Set(),
    paths: new Set(),
    hosts: new Set(),
    net: false,
    budget: BUDGET,
    codeInText: false,
    calculates: false,
    decodes: false,
    far: false,
  };
  return {
    tally,
    where,
    parts,
    cwd: desk,
    vars: new Map(),
    functions: [],
    positional: null,
    source: '',
    links: new Map(),
    written: new Map(),
    flow: { endless: null, bounded: false },
  };
}

/** Finds each program once for a line, so that the whole line is judged by one state of the disk. */
function memoize(resolve: (program: string) => string | null): (program: string) => string | null {
  const known = new Map<string, string | null>();
  return (program) => {
    if (!known.has(program)) known.set(program, resolve(program));
    return known.get(program) ?? null;
  };
}

const parts: Parts = {
  call: judgeCall,
  script: (state, text) => walkText(state, text),
  substitute: (state, script) => {
    const { tally } = state;
    const before = tally.decodes;
    tally.decodes = false;
    const output = walkScript({ ...branchOf(state), flow: { endless: null, bounded: false } }, script, nothing);
    const hidden = tally.decodes;
    tally.decodes = before || hidden;
    if (output === null || !('text' in output) || hidden) return { ...unknown, hidden };
    const text = output.text.replace(/\n+$/, '');
    return { text, open: text.includes(HOLE), glob: false, hidden: false };
  },
  feed: (state, script, stdin: Stdin) =>
    void walkScript({ ...branchOf(state), flow: { endless: null, bounded: false } }, script, stdin),
};
