/**
 * Owns: the tool deps.install: one package, whole or not at all.
 * Does not own: which package (choose-remedy.ts), how each family is installed (install-*.ts), who may (the policy).
 *
 * I1 The receipt is in the ledger before anything leads to what was installed. What has no receipt is swept away.
 * I2 Links are switched one by one, each in one step; nothing that runs loses what it runs from.
 * I3 A version that was installed before must have the same hash again.
 * I4 One installation at a time: two that need the same find it there.
 */
import { existsSync, mkdirSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { InstallInput, InstallOutput, type Receipt } from '../../../core/schema/dependency.ts';
import type { Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { ok, defineTool } from '../../../kit/define-tool.ts';
import { runExclusively } from './install-lock.ts';
import { installBinary } from './install-binary.ts';
import { installNode } from './install-node.ts';
import { installPython } from './install-python.ts';
import type { InstallContext, Installer, InstalledFolder, Problem } from './installer.ts';
import { teachImports } from '../../../kit/sandbox/imports.ts';
import { type Dependencies, installedId } from '../../../kit/requests/dependency-state.ts';
import { switchLinks } from '../../../kit/sandbox/tool-links.ts';
import { measureTree } from './measure-tree.ts';

type InstallPorts = {
  tools: string;
  /** The lock while something is being installed. */
  lock: string;
  context: () => Promise<Omit<InstallContext, 'tools'>>;
  /** What the ledger says is installed. */
  known: () => Promise<Dependencies>;
  /** Resolves when the receipt is on disk. */
  record: (receipt: Receipt, run: string) => Promise<void>;
};

const INSTALLERS: Readonly<Record<InstallInput['by'], Installer>> = {
  node: installNode,
  python: installPython,
  binary: installBinary,
};
const MIN_FREE_BYTES = 50e6;

export function installTool(ports: InstallPorts): Tool {
  let last: Promise<unknown> = Promise.resolve();
  return defineTool({
    name: 'deps.install',
    internal: true,
    about: 'Installs a package of npm or PyPI, or an allowed program, into .oka/tools.',
    input: InstallInput,
    output: InstallOutput,
    annotations: { idempotent: true, risk: 'medium' },
    targets: ['name'],
    class: ({ vouched }) => (vouched === 'nobody' ? 'external_mutation' : 'write_local'),
    act: (input, call) => {
      const turn = last.then(() => runExclusively(ports.lock, call.signal, () => installOne(input, call, ports))); // one at a time (I4)
      last = turn.catch(() => undefined);
      return turn;
    },
  });
}

async function installOne(input: InstallInput, call: ToolCall, ports: InstallPorts): Promise<Outcome> {
  mkdirSync(ports.tools, { recursive: true });
  const tools = realpathSync(ports.tools);
  const known = await ports.known();
  const before = known.installed[installedId(input)];
  if (before !== undefined && input.version === undefined && existsSync(join(tools, before.folder))) {
    switchLinks(tools, before.links);
    return ok({ by: input.by, name: input.name, version: before.version, already: true });
  }
  if (freeBytes(tools) < MIN_FREE_BYTES)
    return toFailed({ problem: 'there is too little space on the disk', temporary: true });
  const bench: InstallContext = { tools, ...(await ports.context()) };
  const begun = performance.now();
  const made = await INSTALLERS[input.by](input, bench, call, Object.values(known.installed));
  if ('problem' in made) return toFailed(made);
  return recordInstalled(input, made, bench, known, call, ports, begun);
}

async function recordInstalled(
  input: InstallInput,
  made: InstalledFolder,
  bench: InstallContext,
  known: Dependencies,
  call: ToolCall,
  ports: InstallPorts,
  begun: number,
): Promise<Outcome> {
  const { tools } = bench;
  const { tree, bytes } = await measureTree(join(tools, made.folder));
  const problem = checkKnownHash(input, made, known) ?? checkSize(bytes, bench);
  if (problem !== null || call.signal.aborted) {
    rmSync(join(tools, made.folder), { recursive: true, force: true });
    return problem === null ? { status: 'cancelled', error: 'it was stopped' } : toFailed(problem);
  }
  const { by, name, why, for_run } = input;
  const receipt: Receipt = { by, name, ...made, tree, bytes, ms: Math.round(performance.now() - begun), why, for_run };
  await ports.record(receipt, call.run);
  if (by === 'node') teachImports(tools);
  switchLinks(tools, made.links);
  return ok({ by, name, version: made.version, already: false });
}

/** A version that was installed before must have the same hash again (I3). */
function checkKnownHash(
  { by }: InstallInput,
  { contains, folder }: InstalledFolder,
  { integrity, installed: all }: Dependencies,
): Problem | null {
  if (Object.values(all).some((each) => each.folder === folder)) return null; // the same place again: it was asked for by a person
  for (const each of contains) {
    const before = integrity[`${by}:${each.name}@${each.version}`];
    if (before !== undefined && before !== '' && each.integrity !== '' && before !== each.integrity)
      return {
        problem: `hash mismatch: ${each.name} ${each.version} was ${before} when it was installed before, and is ${each.integrity} now`,
        temporary: false,
      };
  }
  return null;
}

function checkSize(bytes: number, { limits }: InstallContext): Problem | null {
  if (bytes <= limits.most_mb * 1e6) return null;
  return {
    problem: `it has ${Math.ceil(bytes / 1e6)} MB, and ${limits.most_mb} are allowed (installs.most_mb in POLICY.md)`,
    temporary: false,
  };
}

function toFailed({ problem, temporary }: Problem): Outcome {
  return { status: 'failed', error: problem, temporary };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
