/** Owns: moving a task from an inbox into the ledger (W1 in worker.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { taskGraph } from '../task/task-loop.ts';
import type { Claimed } from './claim-task.ts';
import type { InboxOptions } from './inbox-options.ts';
import { knownTasks, receivedCheck } from './known-tasks.ts';
import { firstLineOf } from './parse-task.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { hintsAtFences } from '../task/task-kind.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { Budgets } from '../../core/schema/run.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { ArtifactRef } from '../../core/schema/tool.ts';
import { placeTaskFiles } from '../desk/place-task-files.ts';
import type { PortValues } from '../../core/schema/room.ts';
import { ports } from '../ports/room-ports.ts';
import { pollsOften } from '../settings.ts';
import type { Log } from '../log-line.ts';
import { fleetRuns, wasSent } from '../fleet/fleet-runs.ts';

const RECORD = { artifacts: ports.artifacts, ledger: ports.ledger, vault: ports.vault };
const ACCEPT = {
  ...RECORD,
  home: ports.home,
  runs: ports.runs,
  backend: ports.backend,
  policy: ports.policy,
  deskPlaced: ports.deskPlaced,
};
const INBOX = {
  home: ports.home,
  config: ports.config,
  ledger: ports.ledger,
  projections: ports.projections,
  fleet: ports.fleet,
};

/** What accepting tasks of an inbox needs. */
export const acceptNeeds = { ...ACCEPT, ...INBOX };

/** When it resolves, the task and its run are in the ledger. Null when its run had begun before. */
export async function accept(needed: PortValues<typeof ACCEPT>, claimed: Claimed): Promise<string | null> {
  const { home, runs, backend, artifacts, ledger, policy, deskPlaced } = needed;
  const { id, title, task, name, known } = claimed;
  const body = await artifacts.put(claimed.body, { media: 'text/markdown', name: name.slice(0, 255) });
  const text = await recordReceived(needed, claimed);
  if (known && (await runs.stateOf(id)) !== null) return null; // its files were placed before its run began
  const dir = placeTaskFiles(claimed, join(home.workspace, 'desk'), deskPlaced) ?? task.dir ?? null;
  const given = { name, title, body: body.sha256, text: text.sha256, fields: task, dir };
  const input: TaskGiven = { ...given, first_line: firstLineOf(claimed.bytes, claimed.body) };
  const budgets = budgetsOf(policy().policy.budgets, task);
  const run = await backend.start({
    kind: 'start',
    run: id,
    graph: taskGraph,
    title,
    input: JSON.parse(JSON.stringify(input)) as Json,
    budgets,
    state: 'PLAN',
  });
  await ledger.flush();
  return run;
}

/** A person may give a task more than the policy does; an agent may not. */
function budgetsOf(limits: Budgets, { budget = {}, from_chat }: Claimed['task']): Budgets {
  const budgets = { ...limits, ...budget };
  if (from_chat === undefined) return budgets;
  for (const name of Object.keys(limits) as (keyof Budgets)[])
    budgets[name] = Math.min(limits[name] ?? Number.POSITIVE_INFINITY, budgets[name] ?? Number.POSITIVE_INFINITY);
  return budgets;
}

/** Stores a task and records that it was received, unless it was before. Returns its text. */
export async function recordReceived(
  { artifacts, ledger, vault }: PortValues<typeof RECORD>,
  claimed: Claimed,
): Promise<ArtifactRef> {
  await vault.originals.seal(claimed.id, [{ text: claimed.body }], vault.redactCut);
  const text = await artifacts.put(claimed.bytes, { media: 'text/markdown', name: claimed.name.slice(0, 255) });
  if (!claimed.known) await ledger.append(receivedEvents(claimed, await storeParts(claimed, text, artifacts)));
  return text;
}

type Parts = { body: ArtifactRef; files: ArtifactRef[]; executable?: string[]; links?: Claimed['links'] };

function receivedEvents(claimed: Claimed, parts: Parts): NewEvent[] {
  const { id, name, task, body } = claimed;
  const by = task.from_chat === undefined ? claimed.by : `agent:${task.from_chat.agent}`;
  const notes = notesOn(claimed);
  const noted = notes.length === 0 ? {} : { notes };
  const received: NewEvent = {
    type: 'task.received',
    run: id,
    data: { name: name.slice(0, 1000), ...parts, by, ...noted },
  };
  if (task.corrects === undefined) return [received];
  return [received, { type: 'run.corrected', run: task.corrects, data: { by: id, text: body.slice(0, 20_000) } }];
}

async function storeParts(
  { folder, files, links }: Claimed,
  body: ArtifactRef,
  artifacts: ArtifactStore,
): Promise<Parts> {
  const kept: ArtifactRef[] = [];
  for (const { path } of folder === null ? [] : files) {
    const content = readFileSync(join(folder ?? '', path));
    kept.push(await artifacts.put(content, { media: 'application/octet-stream', name: path.slice(-255) }));
  }
  const executable = files.filter((file) => file.executable).map(({ path }) => path.slice(-255));
  return {
    body,
    files: kept,
    ...(executable.length === 0 ? {} : { executable }),
    ...(links.length === 0 ? {} : { links }),
  };
}

const MOST_NOTES = 50;

/** What the person who wrote the task should know about how it was read. */
export function notesOn(claimed: Claimed): string[] {
  const firstLine = firstLineOf(claimed.bytes, claimed.body);
  const notes = [...claimed.notes, ...hintsAtFences(claimed.body, claimed.task, firstLine)];
  return notes.slice(0, MOST_NOTES).map((note) => note.slice(0, 1000));
}

const OFTEN_MS = 1000;

/** Which tasks the inbox knows already, and what happens to files that are no tasks. */
export function inboxSettings(
  { home, config, ledger, projections, fleet }: PortValues<typeof INBOX>,
  log: Log,
): InboxOptions {
  const isReceived = receivedCheck(home, () => projections.stateOf(knownTasks).ids);
  /** A home that has done a task of its own for the fleet may not have recorded yet that it was sent. */
  const mayBeUnsent = (id: string): boolean =>
    fleet !== null && isReceived(id) && !wasSent(projections.stateOf(fleetRuns), id);
  return {
    inbox: join(home.workspace, 'inbox'),
    home: fleet?.name ?? null,
    settleMs: config.inbox.settle_ms,
    rescanMs: pollsOften() ? Math.min(config.inbox.rescan_ms, OFTEN_MS) : config.inbox.rescan_ms,
    isKnown: (id) => isReceived(id) || lstatIfPresent(join(home.workspace, 'outbox', id)) !== undefined,
    hasResult: (id) =>
      lstatIfPresent(join(home.workspace, 'outbox', id, 'RESULT.md')) !== undefined && !mayBeUnsent(id),
    on: {
      rejected: async ({ name, kept, reason }) => {
        log(`not a task: ${name}: ${reason.split('\n', 1)[0]}`);
        await ledger.append({ type: 'task.rejected', data: { name: name.slice(0, 1000), kept, reason } });
      },
      problem: (text) => log(`inbox: ${text}`),
    },
  };
}
