/**
 * Owns: refilling the stream of the fleet from the ledger of this home (`oka fleet backfill`).
 * Does not own: what a refill is (rooms/fleet/servers/refill-run.ts).
 *
 * L1 The ledger is the truth: a run that this home owns, or owned last, is refilled where the stream has lost its claim,
 *    lacks events, or has others than the ledger.
 * L2 Whoever refills has the pen, so that nothing of its runs goes on meanwhile.
 * L3 What the events name is in the object store before the stream has them, and so is the folder of the run.
 * L4 In a stream that was created again, a member says that its runs are there after the last of them (U1), and after the
 *    ids of the tasks that it has given away are its own again.
 * L5 Files that the object store has lost are stored again, by their hashes, without a question: this replaces nothing.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type FleetFiles, openFiles } from './servers/fleet-files.ts';
import { hasLostClaim, isOwnedElsewhere, refillRun } from './servers/refill-run.ts';
import type { RunLog } from './servers/run-fence.ts';
import { runLog } from './servers/run-log.ts';
import { foldHistory, type StoredMessage, UNREADABLE } from './servers/run-owner.ts';
import { assertSame, findStream, requireThere } from './servers/fleet-streams.ts';
import { FILES_STREAM, RUNS } from './servers/fleet-subjects.ts';
import { taskHomes } from './servers/task-homes.ts';
import { awaitedMembers, markRefilled, missingMembers } from './servers/refilled-stream.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { FleetStream } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { loadConfig, programVersion } from '../../kit/settings.ts';
import { type CommandPatience, takeAsCommand } from '../../kit/house/await-pen.ts';
import { openStores, type Stores } from '../../kit/house/stores.ts';
import { compareRun } from './compare-stream.ts';
import { type FleetAccess, requireStream, withFleet } from './fleet-access.ts';
import { type LedgerRun, ledgerRuns, sharedEvents } from './ledger-runs.ts';
import { findIn, shareNamed } from './named-artifacts.ts';
import { storeFolder } from './run-folder.ts';
import { lostTasks, readSent, sendAgain } from './send-again.ts';

type Damaged = { run: string; events: number; why: string };
export type Backfill = {
  stream: string;
  /** Whether the stream was created again, and this home has yet to refill it. */
  isNew: boolean;
  /** Runs of this home that were compared. */
  compared: number;
  damaged: Damaged[];
  /** Tasks of this home without a result that the queue has lost. */
  lost: string[];
  /** Whether anything was to be done, and nobody wanted it. */
  isLeft: boolean;
  refilled: string[];
  /** Those that another member has claimed meanwhile. */
  refused: string[];
  /** Tasks that were sent again. */
  sent: string[];
};

type BackfillOptions = {
  /** Only this run. */
  only?: string | undefined;
  /** Asked before anything is changed. */
  isWanted: (found: Backfill) => Promise<boolean>;
  reach: (done: number, total: number) => void;
} & CommandPatience;

export async function backfillRuns(home: Home, options: BackfillOptions): Promise<Backfill> {
  const config = await loadConfig(home);
  const stores = await takeAsCommand(home, options, () => openStores(home, config)); // the pen (L2)
  try {
    return await withFleet(home, (access) => backfillWith(home, stores, access, options));
  } finally {
    await stores.close();
  }
}

async function backfillWith(
  home: Home,
  stores: Stores,
  access: FleetAccess,
  { only, isWanted, reach, signal }: BackfillOptions,
): Promise<Backfill> {
  const { connection, environment, name } = access;
  const stream = await requireStream(access);
  const isNew = await isRefillOwed(access, stream);
  if (isNew && only !== undefined)
    throw new OkaError('usage', 'the stream was created again: all runs of this home have to be refilled', {
      fix: 'oka fleet backfill',
    });
  const log = runLog(connection, stream);
  const runs = await findRuns(home, only);
  const found: Backfill = {
    stream: `${stream.name} of ${stream.created}`,
    isNew,
    compared: runs.length,
    damaged: await findDamaged(home, log, name, runs, reach),
    lost: only === undefined ? await lostTasks(access) : [],
    isLeft: false,
    refilled: [],
    refused: [],
    sent: [],
  };
  const { damaged, lost } = found;
  await requireThere(connection, FILES_STREAM);
  const files = await openFiles(connection, environment.replicas);
  if (only === undefined) await refillFiles(home, stores, files, { sent: access.known.sent, runs });
  if (!isNew && damaged.length === 0 && lost.length === 0) return found;
  if (!(await isWanted(found))) return { ...found, isLeft: true };
  const fence = { worker: name, process: `backfill-${randomUUID().slice(0, 8)}`, version: programVersion() };
  for (const [index, { run }] of damaged.entries()) {
    if (signal.aborted) return found;
    const each = runs.find((one) => one.run === run) as LedgerRun;
    const isDone = await refillFrom(home, stores, { log, fence, files }, each);
    (isDone ? found.refilled : found.refused).push(run);
    reach(index + 1, damaged.length);
  }
  found.sent = await sendAgain(home, access, { artifacts: stores.artifacts, files }, lost);
  if (isNew) {
    for (const id of access.known.sent) await taskHomes(connection).reserve(id, name);
    await joinStream(stores, access, stream);
  }
  return found;
}

/** Stores them again by their hashes (L5). */
async function refillFiles(
  home: Home,
  { artifacts }: Pick<Stores, 'artifacts'>,
  files: FleetFiles,
  { sent, runs }: { sent: readonly string[]; runs: readonly LedgerRun[] },
): Promise<void> {
  const [find, shared] = [findIn(artifacts, 'artifact-damaged'), new Set<string>()];
  const given = await readSent(home, new Set(sent));
  await shareNamed(JSON.stringify([...given.values()]), find, files, shared);
  for (const known of runs.filter(({ isOver }) => !isOver)) {
    await shareNamed(JSON.stringify(await sharedEvents(home.ledgers.run, known)), find, files, shared);
    await storeFolder(join(deskFolder(home), known.run), files);
  }
}

/** L4. Whether the stream is another one than this home knows, or awaits it. One that nobody may refill is refused. */
async function isRefillOwed({ connection, known, name }: FleetAccess, stream: FleetStream): Promise<boolean> {
  const info = await findStream(connection, RUNS);
  if (info === null) return false;
  if (known.joined !== null && awaitedMembers(info) === null) assertSame(known.joined, info);
  const isOther = known.joined !== null && known.joined.created !== stream.created;
  return isOther || (await missingMembers(connection, info)).includes(name);
}

async function joinStream(
  { ledger }: Stores,
  { connection, name, known }: FleetAccess,
  runs: FleetStream,
): Promise<void> {
  if (known.joined?.created !== runs.created)
    await ledger.append({ type: 'fleet.joined', data: { member: name, runs, version: connection.version } });
  await markRefilled(connection, name, runs);
}

async function findRuns(home: Home, only: string | undefined): Promise<LedgerRun[]> {
  const runs = await ledgerRuns(home.ledgers.run);
  if (only === undefined) return runs;
  const found = runs.filter(({ run }) => run === only);
  if (found.length > 0) return found;
  throw new OkaError('usage', `this home does not own run ${only} of the fleet, and did not own it last`, {
    fix: `See which member has it: oka fleet why ${only}`,
  });
}

async function findDamaged(
  home: Home,
  log: RunLog,
  worker: string,
  runs: readonly LedgerRun[],
  reach: (done: number, total: number) => void,
): Promise<Damaged[]> {
  const damaged: Damaged[] = [];
  for (const [index, known] of runs.entries()) {
    const why = await damageOf(home, worker, known, await log.read(known.run));
    if (why !== null)
      damaged.push({ run: known.run, events: (await sharedEvents(home.ledgers.run, known)).length, why });
    reach(index + 1, runs.length);
  }
  return damaged;
}

/** L1. Null also when another member has owned the run since: its ledger has what this one does not. */
async function damageOf(
  home: Home,
  worker: string,
  known: LedgerRun,
  messages: readonly StoredMessage[],
): Promise<string | null> {
  const history = foldHistory(messages);
  if (isOwnedElsewhere(history, known, worker)) return null;
  if (hasLostClaim(history, known, worker)) return 'the stream does not have the last claim of this home';
  const { different, damage } = await compareRun(home.ledgers.run, known.run, worker, messages);
  if (damage !== null) return damage;
  if (different.length > 0) return `events differ: ${different.join(', ')}`;
  return known.lastShared > (history.published.get(worker) ?? 0) ? 'its last events are missing' : null;
}

type Refilling = { log: RunLog; fence: Parameters<typeof refillRun>[2]; files: FleetFiles };

async function refillFrom(
  home: Home,
  { artifacts }: Pick<Stores, 'artifacts'>,
  { log, fence, files }: Refilling,
  known: LedgerRun,
): Promise<boolean> {
  const { run } = known;
  const messages = await log.read(run);
  const history = foldHistory(messages);
  if (isOwnedElsewhere(history, known, fence.worker)) return false;
  const events = await sharedEvents(home.ledgers.run, known);
  const isReturned = known.isReturned || history.isReturned || messages.some((each) => isReturnBy(each, fence.worker));
  if (!isReturned) await shareNamed(JSON.stringify(events), findIn(artifacts), files, new Set());
  const desk = isReturned ? history.desk : await storeFolder(join(deskFolder(home), run), files);
  return refillRun(log, known, fence, history, { events, desk, isReturned });
}

/** Its claim may be gone. */
const isReturnBy = ({ message: { kind, worker, process } }: StoredMessage, by: string): boolean =>
  kind === 'returned' && worker === by && process !== UNREADABLE;
