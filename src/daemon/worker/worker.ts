/**
 * Owns: the worker: it takes tasks from the inbox, in order, and sees each through to its result.
 *
 * W1 A task is in the ledger before anything is done about it, and its claim ends when its run is in the ledger, too:
 *    none is lost and none is done twice, wherever the process dies.
 * W2 What was under way when the process ended goes on at the next start; what waits for a person goes on waiting.
 *    What had ended and was not told is told.
 * W3 While .oka/STOP is there nothing runs; while .oka/PAUSED is there nothing new begins, and the queue fills.
 * W4 Settings that a person has changed hold from the next worker on, and that one begins when nothing is under way.
 * W5 A full disk ends nothing: it is told once, nothing new begins, and what was under way goes on when there is space.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { taskGraph } from '../../graphs/task.ts';
import type { Claimed } from '../../intake/claim.ts';
import { type Addition, addTask } from '../../intake/add.ts';
import { type Inbox, type InboxOptions, openInbox } from '../../intake/inbox.ts';
import { knownTasks } from '../../intake/known-tasks.ts';
import { lookAt } from '../../ledger/disk.ts';
import type { Goal } from '../../ledger/task-graph.ts';
import { isInside } from '../../engine/child.ts';
import type { Drive } from '../../engine/drive.ts';
import type { RunState } from '../../engine/run-state.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { Json } from '../../schema/json.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { ArtifactRef } from '../../schema/tool.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import { heldBy } from '../../guard/rights.ts';
import { layOut } from '../../tools/desk/lay-out.ts';
import { offerOf } from '../../tools/jail.ts';
import { tidyWitnesses } from '../../tools/witness.ts';
import { watchConfig } from '../home/config-file.ts';
import { callsFolder, launcherPath } from '../guard/hold.ts';
import { hasEndedWell, tellLate } from './late-results.ts';
import { type Host, hosted } from '../host.ts';
import { isPaused, isStopped } from '../home/stop-files.ts';
import { modelWaits } from './model-waits.ts';
import { knownIn } from '../task/procedures.ts';
import { type Home, looksOften, programVersion } from '../settings.ts';
import { type Space, spaceIn } from '../home/space.ts';

export type Tell = (line: string) => void;

const diskIsFull = new OkaError('disk-full', 'the ledger has no space');

const LOOK_EVERY_MS = 500;
const OFTEN_MS = 1000;

export async function work(home: Home, signal: AbortSignal, tell: Tell): Promise<void> {
  const lookAtConfig = watchConfig(home); // before it is read: what changes in between is seen
  await hosted(home, signal, (host) => serve(home, host, lookAtConfig, signal, tell), tell);
}

type LookAtConfig = ReturnType<typeof watchConfig>;

async function serve(
  home: Home,
  host: Host,
  lookAtConfig: LookAtConfig,
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  const { ledger } = host.stores;
  const { version: node, pid } = process;
  const isHeir = !(await hasEndedWell(host.stores));
  await ledger.append({ type: 'worker.started', data: { version: programVersion(), node, host: hostname(), pid } });
  await recordSandbox(host);
  await tidyWitnesses(callsFolder(home), Date.now());
  const inbox = await openInbox(inboxSettings(home, host, tell));
  const space = spaceIn(home, { tell, isBack: () => void (host.stops.seen += 1) });
  host.stores.whenDurable((events) => {
    for (const { type } of events) if (type === 'ledger.disk_full') space.ranOut(diskIsFull);
  });
  void host.shadow.prune().catch((error: unknown) => tell(`undo: ${messageOf(error)}`));
  try {
    takeUp(host, space, tell);
    const { stores, untold, tellResult } = host;
    await tellLate(join(home.workspace, 'outbox'), stores.taskGraph(), { untold, isHeir }, tellResult).catch(
      (error: unknown) => tell(`results: ${messageOf(error)}`),
    );
    await takeTasks(home, host, inbox, { space, lookAtConfig }, signal, tell);
  } finally {
    await inbox.close();
    const reason = signal.aborted ? 'told to stop' : 'it ended by itself';
    await ledger.append({ type: 'worker.stopped', data: { reason } });
  }
}

/** How commands are held from now on. */
async function recordSandbox({ stores, config }: Host): Promise<void> {
  const offer = await offerOf(launcherPath);
  const held = heldBy(offer, config.sandbox, 'model');
  const reason = held.kind === 'jail' ? 'the kernel offers it' : held.kind === 'none' ? held.warning : held.reason;
  const kind = held.kind === 'jail' ? 'jail' : 'none';
  await stores.ledger.append({ type: 'sandbox.chosen', data: { kind, landlock: offer.landlock, reason } });
}

function inboxSettings(home: Home, { stores, config }: Host, tell: Tell): InboxOptions {
  const { ledger, projections } = stores;
  return {
    inbox: join(home.workspace, 'inbox'),
    settleMs: config.inbox.settle_ms,
    rescanMs: looksOften() ? Math.min(config.inbox.rescan_ms, OFTEN_MS) : config.inbox.rescan_ms,
    isKnown: (id) =>
      projections.stateOf(knownTasks).ids.includes(id) || lookAt(join(home.workspace, 'outbox', id)) !== undefined,
    on: {
      rejected: async ({ name, kept, reason }) => {
        tell(`not a task: ${name}: ${reason.split('\n', 1)[0]}`);
        await ledger.append({ type: 'task.rejected', data: { name: name.slice(0, 1000), kept, reason } });
      },
      trouble: (text) => tell(`inbox: ${text}`),
    },
  };
}

/** W2. Each goes on as soon as it is read in; nobody waits for the others. */
function takeUp({ engine, stores, deps }: Host, space: Space, tell: Tell): void {
  const failed = (run: string) => (error: unknown) => space.ranOut(error) || tell(`${run}: ${messageOf(error)}`);
  const goOn = (run: string): void => {
    const resumed = engine.resume(run, { reason: 'the worker started' });
    resumed.then(({ done }) => done).catch(failed(run));
  };
  const { goals } = stores.taskGraph();
  for (const { run, title } of goals.filter((goal) => isToGoOn(goal))) {
    tell(`goes on: ${title} (${run})`);
    goOn(run);
  }
  for (const run of deps.toTakeUp()) goOn(run);
}

/** Children go on with their parents. */
function isToGoOn(goal: Goal): boolean {
  if (isInside(goal)) return false;
  const { status, waits } = goal;
  return (
    status === 'running' ||
    (status === 'blocked' && waits.some(({ for: { kind } }) => kind === 'child' || kind === 'timer'))
  );
}

async function takeTasks(
  home: Home,
  host: Host,
  inbox: Inbox,
  { space, lookAtConfig }: { space: Space; lookAtConfig: LookAtConfig },
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  const atWork = new Set<Promise<unknown>>();
  const goOnWithoutModel = modelWaits(host, knownIn(home.ledgers.maintenance), (run, error) => {
    if (!space.ranOut(error)) tell(`${run}: ${messageOf(error)}`);
  });
  let stops = 0;
  while (!signal.aborted) {
    if (atWork.size === 0 && isIdle(host) && (await isRenewed(lookAtConfig, host, tell))) return;
    const isHeld = space.isShort() || isStopped(home);
    if (!isHeld && host.stops.seen > stops) {
      stops = host.stops.seen;
      takeUp(host, space, tell);
    }
    if (!isHeld) await goOnWithoutModel();
    if (isHeld || isPaused(home) || atWork.size >= host.config.inbox.parallel) {
      await Promise.race([rest(signal), ...atWork]);
      continue;
    }
    const claimed = await inbox.next(AbortSignal.any([signal, AbortSignal.timeout(2 * LOOK_EVERY_MS)]));
    if (claimed === null) continue;
    if (isStopped(home) || isPaused(home)) {
      inbox.putBack(claimed);
      continue;
    }
    const rested = await acceptOrPutBack(home, host, inbox, claimed, space, tell);
    if (rested === null) continue;
    const watched = rested.done.finally(() => atWork.delete(watched));
    atWork.add(watched);
  }
  await Promise.all(atWork);
}

const isIdle = ({ stores }: Host): boolean => stores.taskGraph().goals.every(({ status }) => status !== 'running');

/** W4. Whoever keeps this process alive starts the next one, which reads the settings. */
async function isRenewed(look: LookAtConfig, { stores }: Host, tell: Tell): Promise<boolean> {
  const looked = await look();
  if (looked.kind === 'invalid') {
    tell(`config.json: ${looked.reason.split('\n', 1)[0]}`);
    await stores.ledger.append({
      type: 'intake.rejected',
      data: { name: 'config.json', reason: looked.reason.slice(0, 10_000) },
    });
  }
  if (looked.kind === 'changed') tell('config.json has changed: a worker with the new settings begins');
  return looked.kind === 'changed';
}

const rest = (signal: AbortSignal): Promise<void> => sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);

type Rested = { done: Promise<unknown> };

async function acceptOrPutBack(
  home: Home,
  host: Host,
  inbox: Inbox,
  claimed: Claimed,
  space: Space,
  tell: Tell,
): Promise<Rested | null> {
  const failed = (what: string, error: unknown): unknown => space.ranOut(error) || tell(`${what}: ${messageOf(error)}`);
  try {
    tell(`took in: ${claimed.title} (${claimed.id})`);
    const drive = await accept(home, host, claimed);
    inbox.finish(claimed);
    const done = drive?.done ?? Promise.resolve();
    return { done: done.catch((error: unknown) => failed(claimed.id, error)) };
  } catch (error) {
    failed(`${claimed.name} could not be taken in`, error);
    inbox.putBack(claimed);
    await sleep(LOOK_EVERY_MS);
    return null;
  }
}

/** W1. When it resolves, the task and its run are in the ledger. */
async function accept(home: Home, { engine, stores, policy }: Host, claimed: Claimed): Promise<Drive | null> {
  const { artifacts, ledger } = stores;
  const { id, title, task, name, known } = claimed;
  const body = await artifacts.put(claimed.body, { media: 'text/markdown', name: name.slice(0, 255) });
  if (!known) await ledger.append(receivedEvents(claimed, await keptParts(claimed, artifacts)));
  const dir = layOut(claimed, join(home.workspace, 'desk')) ?? task.dir ?? null;
  const input: TaskGiven = { name, title, body: body.sha256, fields: task, first_line: firstLineOf(claimed), dir };
  if (known && (await engine.stateOf(id)) !== null) return null;
  const budgets = { ...policy().policy.budgets, ...task.budget };
  const drive = await engine.start(taskGraph, {
    id,
    title,
    input: JSON.parse(JSON.stringify(input)) as Json,
    budgets,
    state: 'PLAN',
  });
  await ledger.flush();
  return drive;
}

type Parts = { body: ArtifactRef; files: ArtifactRef[] };

function receivedEvents({ id, name, by, task, body }: Claimed, parts: Parts): NewEvent[] {
  const received: NewEvent = { type: 'task.received', run: id, data: { name: name.slice(0, 1000), ...parts, by } };
  if (task.corrects === undefined) return [received];
  return [received, { type: 'run.corrected', run: task.corrects, data: { by: id, text: body.slice(0, 20_000) } }];
}

async function keptParts({ bytes, name, folder, files }: Claimed, artifacts: ArtifactStore): Promise<Parts> {
  const body = await artifacts.put(bytes, { media: 'text/markdown', name: name.slice(0, 255) });
  const kept: ArtifactRef[] = [];
  for (const { path } of folder === null ? [] : files) {
    const content = readFileSync(join(folder ?? '', path));
    kept.push(await artifacts.put(content, { media: 'application/octet-stream', name: path.slice(-255) }));
  }
  return { body, files: kept };
}

function firstLineOf({ bytes, body }: Claimed): number {
  return Math.max(1, bytes.toString('utf8').split('\n').length - body.split('\n').length + 1);
}

/** Does one task here and now, besides what waits in the inbox. */
export async function runTask(
  home: Home,
  addition: Addition,
  signal: AbortSignal,
  tell: Tell,
): Promise<{ run: RunState; result: string }> {
  mkdirSync(join(home.oka, 'state'), { recursive: true });
  const folder = mkdtempSync(join(home.oka, 'state', 'run-'));
  try {
    addTask(folder, addition);
    return await hosted(home, signal, async (host) => {
      const inbox = await openInbox({ ...inboxSettings(home, host, tell), inbox: folder, settleMs: 0 });
      const claimed = await inbox.take();
      await inbox.close();
      if (claimed === null) throw new OkaError('invalid-file', 'this is not a task');
      tell(`took in: ${claimed.title} (${claimed.id})`);
      const drive = await accept(home, host, claimed);
      const run = (await drive?.done) ?? (await host.engine.stateOf(claimed.id));
      if (run === null) throw new OkaError('no-such-run', `run ${claimed.id} did not begin`);
      return { run, result: join(home.workspace, 'outbox', claimed.id, 'RESULT.md') };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
