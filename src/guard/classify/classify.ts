/**
 * Owns: the class of a command: what it may change, found out without running it.
 * Does not own: what then happens to it (policy), and what holds when the class is wrong (the jail).
 * 1. Every part of a line is judged, and the worst part decides.
 * 2. What is not literal, not understood or too involved never runs by itself; what is not known is asked about.
 * 3. Pure but for `resolve`, which says where a program is found.
 */
import type { Classified, Command } from '../../schema/command.ts';
import { call } from './call.ts';
import { resolver, SYSTEM_FOLDERS } from './resolve.ts';
import {
  branchOf,
  HOLE,
  literal,
  nothing,
  type Parts,
  raise,
  type Scene,
  type Stdin,
  type Tally,
  unknown,
  type Where,
} from './scene.ts';
import { walkScript, walkText } from './walk.ts';

export type Surroundings = {
  /** Where commands work; absolute. */
  desk: string;
  /** .oka/tools; absolute. */
  toolFolder: string;
  systemFolders?: readonly string[];
  resolve?: (program: string) => string | null;
};

const LONGEST = 20_000;
/** Steps of the walk; a long script of ten kilobytes needs less than half. */
const BUDGET = 4000;
const NOWHERE: Surroundings = { desk: '/oka/workspace/desk', toolFolder: '/oka/.oka/tools' };
/** Control and private characters, and those that are invisible or turn the direction of text: nobody sees what they do. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;

export function classify(command: Command, where: Surroundings = NOWHERE): Classified {
  const scene = sceneAt(where);
  if ('argv' in command) classifyArgv(scene, command.argv);
  else classifyLine(scene, command.line);
  const { class: found, reason, programs, paths, hosts, net } = scene.tally;
  return {
    class: found,
    reason: reason || 'it does nothing',
    programs: [...programs],
    paths: [...paths],
    hosts: [...hosts],
    net,
  };
}

function classifyLine(scene: Scene, line: string): void {
  if (line.length > LONGEST) return raise(scene, 'deny', `it is longer than ${LONGEST} characters`);
  if (UNSEEN.test(line.replaceAll(/[\n\t]/g, '')))
    return raise(scene, 'deny', 'it holds characters that nobody can see');
  guarded(scene, () => walkText(scene, line));
  finish(scene);
}

function classifyArgv(scene: Scene, argv: readonly string[]): void {
  if (argv.join(' ').length > LONGEST) return raise(scene, 'deny', `it is longer than ${LONGEST} characters`);
  if (argv.some((word) => UNSEEN.test(word.replaceAll(/[\n\t]/g, ''))))
    return raise(scene, 'deny', 'it holds characters that nobody can see');
  guarded(scene, () => call(scene, argv.map(literal), nothing));
  finish(scene);
}

/** A line that the walk itself cannot take is not run. */
function guarded(scene: Scene, walk: () => void): void {
  try {
    walk();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SyntaxError)) throw error;
    raise(scene, 'deny', 'it is too involved to be judged');
  }
}

function finish(scene: Scene): void {
  const { tally } = scene;
  guarded(scene, () => {
    for (const definition of scene.functions)
      if (!definition.called)
        definition.run({ ...branchOf(scene), positional: null }, { from: 'pipe', fetched: false });
  });
  if (tally.codeInText && tally.calculates)
    raise(scene, 'deny', 'a text holds a subscript with code in it, and the line calculates');
}

function sceneAt({ desk, toolFolder, systemFolders = SYSTEM_FOLDERS, resolve }: Surroundings): Scene {
  const where: Where = {
    desk,
    toolFolder,
    systemFolders,
    resolve: remembered(resolve ?? resolver(toolFolder, systemFolders)),
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

/** One look a program for one line, so that a line is judged by one state of the disk. */
function remembered(resolve: (program: string) => string | null): (program: string) => string | null {
  const known = new Map<string, string | null>();
  return (program) => {
    if (!known.has(program)) known.set(program, resolve(program));
    return known.get(program) ?? null;
  };
}

const parts: Parts = {
  call,
  script: (scene, text) => walkText(scene, text),
  substitute: (scene, script) => {
    const { tally } = scene;
    const before = tally.decodes;
    tally.decodes = false;
    const output = walkScript({ ...branchOf(scene), flow: { endless: null, bounded: false } }, script, nothing);
    const hidden = tally.decodes;
    tally.decodes = before || hidden;
    if (output === null || !('text' in output) || hidden) return { ...unknown, hidden };
    const text = output.text.replace(/\n+$/, '');
    return { text, open: text.includes(HOLE), glob: false, hidden: false };
  },
  feed: (scene, script, stdin: Stdin) =>
    void walkScript({ ...branchOf(scene), flow: { endless: null, bounded: false } }, script, stdin),
};
