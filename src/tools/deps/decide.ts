/**
 * Owns: how a need can be met: by a package of Node or Python, by a program from an allowed source, or by a person who
 * changes the image. Pure.
 *
 * Y1 What the table does not know, and nobody vouched for, is installed only after a person was asked: a name in an
 *    error message is a place where strangers can write.
 * Y2 A command that nobody knows is not guessed: it is most likely misspelt.
 */
import type { InstallInput, Need } from '../../schema/dependency.ts';
import { debianOf } from './known-debian.ts';
import { carriedCommand, isKnownPackage, type Machine, nodeCommand } from './known-node.ts';
import { isKnownDistribution, moduleRow, pythonCommand } from './known-python.ts';

export type Way =
  | { kind: 'install'; input: Pick<InstallInput, 'by' | 'name' | 'version' | 'files' | 'vouched'> }
  | { kind: 'person'; packages: string[]; reason: string }
  | { kind: 'unknown'; advice: string };

export type Around = {
  machine: Machine;
  /** Names of the programs that config.json says where to fetch. */
  binaries: readonly string[];
};

export function wayTo(need: Need, around: Around): Way {
  if (need.package !== undefined) return asSaid(need, need.package);
  switch (need.kind) {
    case 'command':
      return need.version === undefined ? commandWay(need, around) : newerCommand(need, around);
    case 'python':
      return install(need, 'python', moduleRow(need.name) ?? need.name.replaceAll('_', '-'));
    case 'node':
      return install(need, 'node', need.name);
    case 'library':
    case 'header':
    case 'pkgconfig':
    case 'locale':
    case 'font':
      return person(need);
  }
}

/** npm and PyPI are tried before the image: what they bring is there at once. */
function commandWay(need: Need, { machine, binaries }: Around): Way {
  const { name } = need;
  if (binaries.includes(name)) return { kind: 'install', input: { by: 'binary', name, vouched: 'operator' } };
  const carried = carriedCommand(name, machine);
  if (carried !== undefined)
    return { kind: 'install', input: { by: 'node', name: carried.package, files: carried.files, vouched: 'table' } };
  const fromNode = nodeCommand(name);
  if (fromNode !== undefined) return install(need, 'node', fromNode);
  const fromPython = pythonCommand(name);
  if (fromPython !== undefined) return install(need, 'python', fromPython);
  if (debianOf(need) !== null) return person(need);
  if (need.vouched === 'operator') return person(need);
  return {
    kind: 'unknown',
    advice: `Nothing that oka knows brings the command "${name}". If it is spelt right, say where it comes from in the task: requires: ["node:PACKAGE"], ["python:PACKAGE"] or ["apt:PACKAGE"].`,
  };
}

/** A newer interpreter is another image; a newer package is not. Packages that only carry a program count by themselves. */
function newerCommand(need: Need, around: Around): Way {
  const way = commandWay(need, around);
  if (way.kind !== 'install') return person(need);
  const { version } = need;
  const isCounted = version !== undefined && way.input.by !== 'binary' && way.input.files === undefined;
  return { kind: 'install', input: { ...way.input, ...(isCounted ? { version } : {}) } };
}

/** The operator named a package: node:prettier@3 is one of npm, apt:ffmpeg one of the system. */
function asSaid(need: Need, from: string): Way {
  const [family, name] = from.split(/:(.*)/s);
  if (family === 'apt') return { kind: 'person', packages: [name ?? need.name], reason: SYSTEM };
  return install(need, family === 'python' ? 'python' : 'node', name ?? need.name);
}

function install(need: Need, by: 'node' | 'python', name: string): Way {
  const isKnown = by === 'node' ? isKnownPackage(name) : isKnownDistribution(name);
  const vouched = need.vouched === 'operator' ? 'operator' : isKnown ? 'table' : 'nobody';
  return {
    kind: 'install',
    input: { by, name, vouched, ...(need.version === undefined ? {} : { version: need.version }) },
  };
}

const SYSTEM = 'it is a part of the system, and oka installs nothing there';

function person(need: Need): Way {
  const packages = debianOf(need);
  const version = need.version === undefined ? '' : ` The version that is needed: ${need.version}.`;
  if (packages !== null) return { kind: 'person', packages, reason: `${SYSTEM}.${version}` };
  return { kind: 'person', packages: [], reason: `${SYSTEM}, and it is not known which package brings it.${version}` };
}
