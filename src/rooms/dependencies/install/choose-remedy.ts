/**
 * Owns: how a need can be met: by a package of Node or Python, by a program from an allowed source, or by a person who
 * changes the image. Pure.
 *
 * Y1 A package that is neither in the table nor named by the operator is installed only after a person was asked,
 *    because strangers can put a name into an error message.
 * Y2 A command that no table knows is not guessed: a person is asked for it, and told how to find its package. Only one
 *    that looks like a misspelt other one is not asked for.
 */
import type { InstallInput, Need } from '../../../core/schema/dependency.ts';
import { debianPackages, likelyMeant } from './known-debian.ts';
import { carriedCommand, isKnownPackage, type Machine, nodeCommand } from './known-node.ts';
import { isKnownDistribution, moduleRow, pythonCommand } from './known-python.ts';

export type Remedy =
  | { kind: 'install'; input: Pick<InstallInput, 'by' | 'name' | 'version' | 'files' | 'vouched'> }
  | { kind: 'person'; packages: string[]; reason: string }
  | { kind: 'unknown'; advice: string };

type RemedyContext = {
  machine: Machine;
  /** Names of the programs that config.json says where to fetch. */
  binaries: readonly string[];
  /** Packages of Debian that no table of oka knows (debian-contents.ts). */
  contents?: (need: Need) => string[] | null;
};

export function chooseRemedy(need: Need, around: RemedyContext): Remedy {
  if (need.package !== undefined) return namedPackageRemedy(need, need.package);
  switch (need.kind) {
    case 'command':
      return need.version === undefined ? commandRemedy(need, around) : newerCommandRemedy(need, around);
    case 'python':
      return installRemedy(need, 'python', moduleRow(need.name) ?? need.name.replaceAll('_', '-'));
    case 'node':
      return installRemedy(need, 'node', need.name);
    case 'library':
    case 'header':
    case 'pkgconfig':
    case 'locale':
    case 'font':
      return personRemedy(need, around);
    case 'device':
    case 'capability':
      return { kind: 'person', packages: [], reason: MACHINE[need.kind](need.name) };
  }
}

/** npm and PyPI are tried before the image: what they install is available at once. */
function commandRemedy(need: Need, around: RemedyContext): Remedy {
  const { name } = need;
  const { machine, binaries } = around;
  if (binaries.includes(name)) return { kind: 'install', input: { by: 'binary', name, vouched: 'operator' } };
  const carried = carriedCommand(name, machine);
  if (carried !== undefined)
    return { kind: 'install', input: { by: 'node', name: carried.package, files: carried.files, vouched: 'table' } };
  const fromNode = nodeCommand(name);
  if (fromNode !== undefined) return installRemedy(need, 'node', fromNode);
  const fromPython = pythonCommand(name);
  if (fromPython !== undefined) return installRemedy(need, 'python', fromPython);
  if (packagesFor(need, around) !== null) return personRemedy(need, around);
  const meant = need.vouched === 'operator' ? null : likelyMeant(name);
  if (meant === null) return personRemedy(need, around);
  return {
    kind: 'unknown',
    advice: `oka knows no package with the command "${name}"; did you mean "${meant}"? If it is spelt right, say where it comes from in the task: requires: ["node:PACKAGE"], ["python:PACKAGE"] or ["apt:PACKAGE"].`,
  };
}

/** A newer interpreter is another image; a newer package is not. Packages that only carry a program count by themselves. */
function newerCommandRemedy(need: Need, around: RemedyContext): Remedy {
  const way = commandRemedy(need, around);
  if (way.kind !== 'install') return personRemedy(need, around);
  const { version } = need;
  const isCounted = version !== undefined && way.input.by !== 'binary' && way.input.files === undefined;
  return { kind: 'install', input: { ...way.input, ...(isCounted ? { version } : {}) } };
}

/** The operator named a package: node:prettier@3 is one of npm, apt:ffmpeg one of the system. */
function namedPackageRemedy(need: Need, from: string): Remedy {
  const [family, name] = from.split(/:(.*)/s);
  if (family === 'apt') return { kind: 'person', packages: [name ?? need.name], reason: SYSTEM };
  return installRemedy(need, family === 'python' ? 'python' : 'node', name ?? need.name);
}

function installRemedy(need: Need, by: 'node' | 'python', name: string): Remedy {
  const isKnown = by === 'node' ? isKnownPackage(name) : isKnownDistribution(name);
  const vouched = need.vouched === 'operator' ? 'operator' : isKnown ? 'table' : 'nobody';
  return {
    kind: 'install',
    input: { by, name, vouched, ...(need.version === undefined ? {} : { version: need.version }) },
  };
}

const SYSTEM = 'it is a part of the system, and oka installs nothing there';

const packagesFor = (need: Need, { contents }: RemedyContext): string[] | null =>
  debianPackages(need) ?? contents?.(need) ?? null;

/** What no package has: the machine, or whoever starts the container, gives it. */
const MACHINE = {
  device: (name: string) =>
    `it is a device of the machine. Connect it; a container is given it by devices: ["${name}"] of the service worker in compose.yaml.`,
  capability: (name: string) =>
    `it is a right that the kernel gives. A container is given it by cap_add: ["${name}"] of the service worker in compose.yaml; commands in the sandbox stay without it, so run such a step outside of oka unless it is really meant.`,
} as const;

function personRemedy(need: Need, around: RemedyContext): Remedy {
  const packages = packagesFor(need, around);
  const version = need.version === undefined ? '' : ` The version that is needed: ${need.version}.`;
  if (packages !== null) return { kind: 'person', packages, reason: `${SYSTEM}.${version}` };
  return {
    kind: 'person',
    packages: [],
    reason: `${SYSTEM}, and it is not known which package contains it.${waysToFind(need)}${version}`,
  };
}

/** The two usual ways to find the package of a file. */
function waysToFind({ kind, name }: Need): string {
  if (!/^[\w.+@/-]+$/.test(name)) return '';
  const file = kind === 'command' ? `bin/${name}` : name;
  return ` To find it: \`apt-file search ${file}\`, or search the contents of packages for "${file}" at https://packages.debian.org.`;
}
