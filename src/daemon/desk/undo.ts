/** Owns: taking back what a run did to the desk, with all the runs inside it. */
import { join } from 'node:path';
import type { Event } from '../../schema/event.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Snapshots, Undone } from '../../tools/desk/snapshots.ts';
import { stepsOf } from './desk.ts';
import type { LedgerPort, Runs } from '../port-types.ts';
import type { Home } from '../../schema/home.ts';
import { childrenIn } from '../task/write-result.ts';

const MOST_NAMED = 10_000;
const DEEPEST = 8;

export type UndoPorts = {
  runs: Pick<Runs, 'eventsOf'>;
  ledger: Pick<LedgerPort, 'append'>;
  shadow: Snapshots;
};

export async function undo({ runs, ledger, shadow }: UndoPorts, run: string): Promise<Undone> {
  const steps = await stepsIn(runs.eventsOf, shadow, run);
  const undone = await shadow.undo(steps, `after undoing ${run}`);
  const shown = (paths: readonly string[]): string[] => paths.slice(0, MOST_NAMED).map((path) => path.slice(0, 1000));
  await ledger.append({
    type: 'run.undone',
    run,
    data: {
      restored: shown([...undone.restored, ...undone.removed]),
      kept: shown([...undone.overlaps, ...undone.notRestorable].map(({ path }) => path)),
    },
  });
  return undone;
}

/** What it would do, without doing it. */
export async function undoPlan({ runs, shadow }: Omit<UndoPorts, 'ledger'>, run: string): Promise<Undone> {
  const { restore, remove, overlaps, notRestorable } = await shadow.plan(await stepsIn(runs.eventsOf, shadow, run));
  return { restored: restore, removed: remove, overlaps, notRestorable };
}

async function stepsIn(
  eventsOf: (run: string) => Promise<Event[]>,
  shadow: Snapshots,
  run: string,
): ReturnType<typeof allSteps> {
  return allSteps(await eventsWithChildren(eventsOf, run), shadow);
}

async function allSteps(events: readonly Event[], shadow: Snapshots): Promise<ReturnType<typeof stepsOf>> {
  const { tree: now } = await shadow.snapshot('before undoing');
  const steps = stepsOf(events, now);
  if (steps.length === 0)
    throw new OkaError('refused', 'this run changed nothing on the desk, or what it changed was not kept');
  return steps;
}

/** In the order in which things happened. */
async function eventsWithChildren(
  eventsOf: (run: string) => Promise<Event[]>,
  run: string,
  depth = DEEPEST,
): Promise<Event[]> {
  const own = await eventsOf(run);
  if (depth === 0) return own;
  const inside = await Promise.all(childrenIn(own).map((child) => eventsWithChildren(eventsOf, child, depth - 1)));
  return [...own, ...inside.flat()].toSorted((a, b) => a.seq - b.seq);
}

export const undoFolder = (home: Home): string => join(home.oka, 'undo');
