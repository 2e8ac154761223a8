/** Owns: workspace/outbox/<run>/: RESULT.md and what the run leaves, written from the ledger again whenever it changes. */
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { lstatIfPresent, replaceShownFile } from '../../core/ledger/disk.ts';
import { findMark } from '../../core/guard/masked-text.ts';
import { resultPage } from './roles/result.ts';
import type { Language } from '../../core/schema/spoken-language.ts';
import { speakerOf } from '../../kit/text/languages.ts';
import type { ResultFacts } from '../../kit/runs/result-content.ts';
import type { Receipt } from '../../core/schema/dependency.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import { triggersAmong } from '../../core/schema/program-triggers.ts';
import { installedId } from '../../kit/requests/dependency-state.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { stepsOf } from '../../kit/runs/recorded-steps.ts';
import { changesOf } from '../../kit/runs/run-changes.ts';
import { deliverFiles } from './deliver-files.ts';
import { type PublishPorts, publishArtifacts } from './publish-artifacts.ts';
import { artifactsIn, foldResultFacts } from '../../kit/runs/result-facts.ts';
import { childrenIn } from '../../kit/runs/run-family.ts';

/** `redact` removes secrets: names of files on the desk come from the disk, not from the ledger. */
export type ResultPorts = PublishPorts & {
  desk: string;
  shadow: Snapshots;
  eventsOf: (run: string) => Promise<readonly Event[]>;
  stateOf: (run: string) => Promise<RunState | null>;
  /** Why commands run without a sandbox; null when they are sandboxed. */
  sandboxWarning: () => Promise<string | null>;
  /** The language of the page. */
  language: Language | undefined;
  /** What was installed because one of these runs needed it. */
  installedFor: (runs: readonly string[]) => Promise<Receipt[]>;
};

type WrittenResult = { file: string; facts: ResultFacts };

/** Returns null when there is nothing to report. */
export async function writeResult(run: string, ports: ResultPorts): Promise<WrittenResult | null> {
  const own = await ports.eventsOf(run);
  const children = childrenIn(own);
  const steps = await Promise.all(children.map((child) => ports.eventsOf(child)));
  const all = [...own, ...steps.flat()];
  const facts = foldResultFacts(own, steps, changesOf(all, ports.shadow));
  if (facts === null) return null;
  const folder = join(ports.outbox, run);
  mkdirSync(folder, { recursive: true });
  const published = await publishArtifacts(run, facts.steps, artifactsIn(all), ports);
  const isTextComplete = await writeTaskText(own, folder, ports.artifacts);
  const isCopied = facts.verdict === 'done';
  const copies = isCopied
    ? deliverFiles(folder, stepsOf(all, null), { ...ports, own: ownFolder(own) })
    : new Map<string, string>();
  const page = resultPage(
    {
      ...facts,
      ...published,
      copies: copies.size,
      links: new Map([...linksToFiles(facts, folder, ports.desk), ...copies]),
      installed: (await ports.installedFor([run, ...children])).map(describeInstalled),
      canRepeat: facts.canRepeat === true && isTextComplete,
      ...(await withoutSandbox(all, ports)),
    },
    await speakerOf(ports.language),
  );
  const file = join(folder, 'RESULT.md');
  replaceShownFile(file, ports.redact(page));
  return { file, facts };
}

async function withoutSandbox(
  all: readonly Event[],
  { sandboxWarning }: ResultPorts,
): Promise<Pick<ResultFacts, 'unsandboxed'>> {
  const warning = all.some(isCommand) ? await sandboxWarning() : null;
  return warning === null ? {} : { unsandboxed: warning };
}

const describeInstalled = (receipt: Receipt): NonNullable<ResultFacts['installed']>[number] => ({
  id: installedId(receipt),
  version: receipt.version,
  from: receipt.from,
  commands: receipt.commands,
});

/** Files that make other programs run are named but not linked: nobody should open one by accident. */
function linksToFiles({ files, undone }: ResultFacts, folder: string, desk: string): [string, string][] {
  if (undone !== undefined) return [];
  const paths = [...files.created, ...files.changed];
  const triggers = new Set(triggersAmong(paths).map(({ path }) => path));
  const target = (path: string): string => relative(folder, isAbsolute(path) ? path : join(desk, path));
  return paths.filter((path) => !triggers.has(path)).map((path) => [path, target(path)]);
}

const isCommand = (event: Event): boolean => event.type === 'call.started' && event.data.tool === 'shell';

/**
 * The text as it was taken from the inbox, so that a person finds it again. A result does not fail because it is gone.
 * Returns whether it is complete: a secret in it is not stored.
 */
async function writeTaskText(own: readonly Event[], folder: string, artifacts: ArtifactStore): Promise<boolean> {
  const sha256 = textOfTask(own);
  if (sha256 === undefined) return false;
  const bytes = await artifacts.get({ sha256 }).catch((error: unknown) => {
    if (error instanceof OkaError && error.code.startsWith('artifact-')) return null;
    throw error;
  });
  if (bytes === null) return false;
  const file = join(folder, 'TASK.md');
  if (lstatIfPresent(file) === undefined) replaceShownFile(file, bytes);
  return findMark(bytes.toString('latin1')) === null;
}

/** The folder on the desk that is the task's own; null for a task that works at the top of the desk. */
function ownFolder(own: readonly Event[]): string | null {
  const started = own.find((event) => event.type === 'run.started');
  const input = started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null) : null;
  return input?.dir === '.' ? null : (input?.dir ?? null);
}

function textOfTask(own: readonly Event[]): string | undefined {
  const started = own.find((event) => event.type === 'run.started');
  return started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null)?.text : undefined;
}
