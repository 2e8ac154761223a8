/** Owns: undoing what a run did to the desk, to folders outside it, and by tools that can undo it, with all the runs inside it. */
import { join } from 'node:path';
import type { Event } from '../../core/schema/event.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { covers, type Reach } from '../../kit/desk/reach.ts';
import type { Snapshots, Undone } from '../../kit/desk/snapshots.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import {
  foldersIn,
  placesIn,
  reachIn,
  type StateNow,
  stepsOf,
  uncoveredFolders,
} from '../../kit/runs/recorded-steps.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import { callsToUndo, undoCalls } from './undo-by-tools.ts';
import type { LedgerPort, Runs } from '../../kit/ports/port-types.ts';
import { eventsWithChildren } from '../../kit/runs/run-family.ts';

const MOST_NAMED = 10_000;

type UndoPorts = {
  runs: Pick<Runs, 'eventsOf'>;
  ledger: Pick<LedgerPort, 'append'>;
  shadow: Snapshots;
  deskTurn: InTurn;
  tools: Pick<ToolRegistry, 'get'>;
};
type TurnPorts = Omit<UndoPorts, 'ledger'>;

/** Waits for its turn where the run could write: what it changes must not be put down to a command that is running. */
export function undo(ports: UndoPorts, run: string): Promise<Undone> {
  return inTurnOf(ports, run, () => undoInTurn(ports, run));
}

/** The run may have written elsewhere, too, when the turn comes: then it asks for the turn of that. */
async function inTurnOf<T>({ runs, shadow, deskTurn }: TurnPorts, run: string, work: () => Promise<T>): Promise<T> {
  const reachNow = async (): Promise<Reach> =>
    shadow.isUndoing() ? {} : reachIn(await eventsWithChildren(runs.eventsOf, run));
  for (;;) {
    const reach = await reachNow();
    const done = await deskTurn(async () => (covers(reach, await reachNow()) ? { value: await work() } : null), {
      reach,
      run,
    });
    if (done !== null) return done.value;
  }
}

async function undoInTurn({ runs, ledger, shadow, tools }: UndoPorts, run: string): Promise<Undone> {
  const { found, left, calls } = await stepsOfRun(runs.eventsOf, shadow, tools, run);
  const undone: Undone[] = [leaving(left), await undoCalls(calls, false)];
  for (const { folder, snapshots, steps, place } of found)
    undone.push(inFolder(folder, await snapshots.undo(steps, `after undoing ${run}`, place)));
  const merged = mergeUndone(undone);
  const shown = (paths: readonly string[]): string[] => paths.slice(0, MOST_NAMED).map((path) => path.slice(0, 1000));
  await ledger.append({
    type: 'run.undone',
    run,
    data: {
      restored: shown([...merged.restored, ...merged.removed]),
      kept: shown([...merged.overlaps, ...merged.notRestorable].map(({ path }) => path)),
    },
  });
  return merged;
}

/** What `undo` would do, without doing it. */
export function previewUndo(ports: TurnPorts, run: string): Promise<Undone> {
  return inTurnOf(ports, run, async () => {
    const { found, left, calls } = await stepsOfRun(ports.runs.eventsOf, ports.shadow, ports.tools, run);
    const planned: Undone[] = [leaving(left), await undoCalls(calls, true)];
    for (const { folder, snapshots, steps, place } of found) {
      const { restore, remove, overlaps, notRestorable } = await snapshots.plan(steps, place);
      planned.push(inFolder(folder, { restored: restore, removed: remove, overlaps, notRestorable }));
    }
    return mergeUndone(planned);
  });
}

type Left = Undone['notRestorable'][number];

const leaving = (notRestorable: Left[]): Undone => ({ restored: [], removed: [], overlaps: [], notRestorable });

/** Paths on the desk are relative to it; those in folders outside it are absolute. */
function inFolder(folder: string | null, { restored, removed, overlaps, notRestorable }: Undone): Undone {
  const named = (path: string): string => (folder === null ? path : join(folder, path));
  const left = <T extends { path: string }>(each: T): T => ({ ...each, path: named(each.path) });
  return {
    restored: restored.map(named),
    removed: removed.map(named),
    overlaps: overlaps.map(left),
    notRestorable: notRestorable.map(left),
  };
}

function mergeUndone(all: readonly Undone[]): Undone {
  return {
    restored: all.flatMap(({ restored }) => restored),
    removed: all.flatMap(({ removed }) => removed),
    overlaps: all.flatMap(({ overlaps }) => overlaps),
    notRestorable: all.flatMap(({ notRestorable }) => notRestorable),
  };
}

/** `place` are the folders of the desk that the steps could change; all of it when undefined. */
type FolderSteps = {
  folder: string | null;
  snapshots: Snapshots;
  steps: ReturnType<typeof stepsOf>;
  place: readonly string[] | undefined;
};

/**
 * The steps of a run on the desk, and in every folder outside it that its calls could change; `left` are those
 * that cannot be restored. What was undone completely is not undone again: others may have made the same files since.
 */
async function stepsOfRun(
  eventsOf: (run: string) => Promise<Event[]>,
  shadow: Snapshots,
  tools: UndoPorts['tools'],
  run: string,
): Promise<{ found: FolderSteps[]; left: Left[]; calls: ReturnType<typeof callsToUndo> }> {
  const all = await eventsWithChildren(eventsOf, run);
  const undone = all.findLast(
    (event) => event.type === 'run.undone' && event.run === run && event.data.kept.length === 0,
  );
  const events = all.filter(({ seq }) => seq > (undone?.seq ?? 0));
  const found: FolderSteps[] = [];
  const left: Left[] = uncoveredFolders(events).map((path) => ({
    path,
    why: 'undo does not cover this folder; what the run changed there stays',
  }));
  for (const folder of [null, ...foldersIn(events)]) {
    if (folder !== null && lstatIfPresent(folder)?.isDirectory() !== true) {
      if (stepsOf(events, null, folder).some(({ before, after }) => before !== after))
        left.push({ path: folder, why: 'the folder is gone' });
      continue;
    }
    const snapshots = folder === null ? shadow : shadow.forFolder(folder);
    const place = folder === null ? reachIn(events).place : undefined;
    const now = await statesNow(snapshots, folder === null ? placesIn(events) : [undefined]);
    const steps = stepsOf(events, now, folder).filter(({ before, after }) => folder === null || before !== after);
    if (steps.length > 0) found.push({ folder, snapshots, steps, place });
  }
  const calls = callsToUndo(events, tools);
  const count = found.length + left.length + calls.length;
  if (count === 0 && undone !== undefined)
    throw new OkaError('refused', `this run was undone already, on ${undone.at.slice(0, 10)}`);
  if (count === 0) throw new OkaError('refused', 'this run changed nothing on the desk, or its snapshots were removed');
  return { found, left, calls };
}

/** The state of each of these places of the desk as it is. */
async function statesNow(snapshots: Snapshots, places: readonly (readonly string[] | undefined)[]): Promise<StateNow> {
  const states = new Map<string, string>();
  const keyOf = (place: readonly string[] | undefined): string => JSON.stringify(place ?? null);
  for (const place of places) states.set(keyOf(place), (await snapshots.snapshot('before undoing', { place })).tree);
  return (place) => states.get(keyOf(place)) ?? '';
}
