/**
 * Owns: workspace/outbox/<run>/: RESULT.md and what the run leaves. Made from the ledger; made again whenever it rests.
 *
 * An artifact in which a known secret was found, in any form, is not put there but into .oka/quarantine: somebody meant to
 * carry it out, and the outbox is what people pass on.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { RunState } from '../../engine/run-state.ts';
import { taskGraph } from '../../graphs/task-loop.ts';
import { lstatIfPresent, replaceFile } from '../../ledger/disk.ts';
import { redactedNames } from '../../guard/redact.ts';
import { type ResultFacts, resultPage } from '../../roles/result.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import type { ArtifactStore, Redact } from '../../schema/ports.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import type { ArtifactRef } from '../../schema/tool.ts';
import { triggersAmong } from '../../schema/program-triggers.ts';
import type { Snapshots } from '../../tools/desk/snapshots.ts';
import { stepsOf } from '../desk/desk.ts';
import { changesOf } from '../desk/run-changes.ts';
import { deliverFiles } from './deliver-files.ts';
import { artifactsIn, foldResultFacts } from './result-facts.ts';

export type ResultPorts = {
  outbox: string;
  desk: string;
  /** Where artifacts with a secret in them go; only the user of oka can open it. */
  quarantine: string;
  artifacts: ArtifactStore;
  shadow: Snapshots;
  /** Removes secrets: names of files on the desk come from the disk, not from the ledger. */
  redact: Redact;
  eventsOf: (run: string) => Promise<readonly Event[]>;
  stateOf: (run: string) => Promise<RunState | null>;
  /** Why commands run without a sandbox; null when they are sandboxed. */
  sandboxWarning: () => Promise<string | null>;
};

const MOST_FILES = 50;
const MOST_BYTES = 16 * 1024 * 1024;

/** The task that a run belongs to, if it belongs to one. */
export async function taskOf(run: RunState, { stateOf }: Pick<ResultPorts, 'stateOf'>): Promise<RunState | null> {
  let found: RunState | null = run;
  while (found !== null && found.plan.graph.id !== taskGraph.id)
    found = found.parent === null ? null : await stateOf(found.parent);
  return found;
}

export type WrittenResult = { file: string; facts: ResultFacts };

/** Returns null when there is nothing to report. */
export async function writeResult(run: string, ports: ResultPorts): Promise<WrittenResult | null> {
  const own = await ports.eventsOf(run);
  const steps = await Promise.all(childrenIn(own).map((child) => ports.eventsOf(child)));
  const all = [...own, ...steps.flat()];
  const facts = foldResultFacts(own, steps, changesOf(all, ports.shadow));
  if (facts === null) return null;
  const warning = all.some(isCommand) ? await ports.sandboxWarning() : null;
  const folder = join(ports.outbox, run);
  mkdirSync(folder, { recursive: true });
  const quarantined = await copyArtifacts(artifactsIn(all).slice(0, MOST_FILES), run, ports);
  await writeTaskText(own, folder, ports.artifacts);
  const isCopied = facts.verdict === 'done' && !hasOwnFolder(own);
  const copies = isCopied ? deliverFiles(folder, stepsOf(all, null), ports) : new Map<string, string>();
  const links = new Map([...linksToDesk(facts.files, relative(folder, ports.desk)), ...copies]);
  const file = join(folder, 'RESULT.md');
  const unsandboxed = warning === null ? {} : { unsandboxed: warning };
  const page = resultPage({ ...facts, copies: copies.size, links, ...unsandboxed, quarantined });
  replaceFile(file, ports.redact(page));
  return { file, facts };
}

/** Files that make other programs run are named but not linked: nobody should open one by accident. */
function linksToDesk({ created, changed }: ResultFacts['files'], desk: string): [string, string][] {
  const paths = [...created, ...changed];
  const triggers = new Set(triggersAmong(paths).map(({ path }) => path));
  return paths.filter((path) => !triggers.has(path)).map((path) => [path, `${desk}/${path}`]);
}

const isCommand = (event: Event): boolean => event.type === 'call.started' && event.data.tool === 'shell';

/** Runs that a run has waited for, in order. */
export function childrenIn(events: readonly Event[]): string[] {
  return [
    ...new Set(
      events.flatMap((event) =>
        event.type === 'wait.opened' && event.data.for.kind === 'child' ? [event.data.for.run] : [],
      ),
    ),
  ];
}

/** The text as it was taken from the inbox, so that a person finds it again. A result does not fail because it is gone. */
async function writeTaskText(own: readonly Event[], folder: string, artifacts: ArtifactStore): Promise<void> {
  const sha256 = textOfTask(own);
  const file = join(folder, 'TASK.md');
  if (sha256 === undefined || lstatIfPresent(file) !== undefined) return;
  const bytes = await artifacts.get({ sha256 }).catch((error: unknown) => {
    if (error instanceof OkaError && error.code.startsWith('artifact-')) return null;
    throw error;
  });
  if (bytes !== null) replaceFile(file, bytes);
}

/** Whether the files of the task are in a folder of their own on the desk. */
function hasOwnFolder(own: readonly Event[]): boolean {
  const started = own.find((event) => event.type === 'run.started');
  const input = started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null) : null;
  return (input?.dir ?? null) !== null && input?.dir !== '.';
}

function textOfTask(own: readonly Event[]): string | undefined {
  const started = own.find((event) => event.type === 'run.started');
  return started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null)?.text : undefined;
}

/** Returns the files that were quarantined, as a person finds them. */
async function copyArtifacts(
  all: readonly ArtifactRef[],
  run: string,
  { outbox, quarantine, artifacts, redact }: ResultPorts,
): Promise<string[]> {
  const quarantined: string[] = [];
  for (const artifact of all) {
    const name = `${artifact.sha256.slice(0, 8)}-${(artifact.name ?? 'artifact').replaceAll(/[^\w.-]+/g, '-').slice(0, 100)}`;
    const shown = join(outbox, run, 'artifacts', name);
    const hidden = join(quarantine, run, name);
    const isHidden = lstatIfPresent(hidden) !== undefined;
    if (isHidden) quarantined.push(`.oka/quarantine/${run}/${name}`);
    if (artifact.bytes > MOST_BYTES || isHidden || lstatIfPresent(shown) !== undefined) continue;
    const bytes = await artifacts.get(artifact);
    const text = redact(bytes.toString('latin1'));
    if (redactedNames(text).length === 0) copyTo(shown, bytes);
    else {
      copyTo(hidden, Buffer.from(text, 'latin1'), { mode: 0o600 });
      quarantined.push(`.oka/quarantine/${run}/${name}`);
    }
  }
  return quarantined;
}

function copyTo(file: string, bytes: Buffer, options: { mode?: number } = {}): void {
  mkdirSync(dirname(file), { recursive: true, ...(options.mode === undefined ? {} : { mode: 0o700 }) });
  replaceFile(file, bytes, options);
}
