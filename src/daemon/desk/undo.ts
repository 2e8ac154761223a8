/** Owns: undoing what a run did to the desk, with all the runs inside it. */
import { join } from 'node:path';
import type { Event } from '../../schema/event.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Snapshots, Undone } from '../../tools/desk/snapshots.ts';
import { stepsOf } from './desk.ts';
import type { InTurn } from './desk-turns.ts';
import type { LedgerPort, Runs } from '../port-types.ts';
import type { Home } from '../../schema/home.ts';
import { childrenIn } from '../task/write-result.ts';

const MOST_NAMED = 10_000;
const DEEPEST = 8;

export type UndoPorts = {
  runs: Pick<Runs, 'eventsOf'>;
  ledger: Pick<LedgerPort, 'append'>;
  shadow: Snapshots;
  deskTurn: InTurn;
};

/** Waits for its turn: what it changes must not be put down to a command that is running. */
export function undo(ports: UndoPorts, run: string): Promise<Undone> {
  return ports.deskTurn(() => undoInTurn(ports, run));
}

async function undoInTurn({ runs, ledger, shadow }: UndoPorts, run: string): Promise<Undone> {
  const steps = await stepsOfRun(runs.eventsOf, shadow, run);
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

/** What `undo` would do, without doing it. */
export function previewUndo({ runs, shadow, deskTurn }: Omit<UndoPorts, 'ledger'>, run: string): Promise<Undone> {
  return deskTurn(async () => {
    const { restore, remove, overlaps, notRestorable } = await shadow.plan(
      await stepsOfRun(runs.eventsOf, shadow, run),
    );
    return { restored: restore, removed: remove, overlaps, notRestorable };
  });
}

async function stepsOfRun(
  eventsOf: (run: string) => Promise<Event[]>,
  shadow: Snapshots,
  run: string,
): ReturnType<typeof requireSteps> {
  return requireSteps(await eventsWithChildren(eventsOf, run), shadow);
}

async function requireSteps(events: readonly Event[], shadow: Snapshots): Promise<ReturnType<typeof stepsOf>> {
  const { tree: now } = await shadow.snapshot('before undoing');
  const steps = stepsOf(events, now);
  if (steps.length === 0)
    throw new OkaError('refused', 'this run changed nothing on the desk, or its snapshots were removed');
  return steps;
}

/** The events of a run and of all runs inside it, in the order in which they were written. */
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
