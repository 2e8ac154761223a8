/**
 * Owns: .oka/undo, what the desk was before and after each step that may write, and taking a run back.
 * Does not own: when a state is kept and what it is recorded as in the ledger.
 *
 * One process at a time: the holder of the pen. Everything that is kept is whole and flushed when `keep` resolves.
 */
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { explained, replaceFile } from '../../ledger/disk.ts';
import { errnoOf } from '../../schema/errors.ts';
import type { Clock } from '../../schema/ports.ts';
import { type Changes, changesOf } from './changes.ts';
import { shown } from './held.ts';
import { type KeepLimits, type Kept, keepDesk, type Seen } from './keep.ts';
import { Objects } from './objects.ts';
import { type Action, type Left, planUndo, type Step, type UndoPlan } from './plan-undo.ts';
import { type Pruned, type PruneLimits, prune, record, records } from './prune.ts';
import { restore } from './restore.ts';

export type ShadowOptions = Partial<KeepLimits & PruneLimits> & { store: string; desk: string; clock?: Clock };

export type Undone = { restored: string[]; removed: string[]; overlaps: Left[]; notRestorable: Left[] };

export type Shadow = {
  /** Keeps the desk as it is. `label` is for people who look into the store. */
  keep(label: string): Promise<Kept>;
  /** What `undo` would do, without doing it. */
  plan(steps: readonly Step[]): Promise<UndoPlan>;
  /** Takes these steps of a run back. Called again after a crash it ends what it had begun. */
  undo(steps: readonly Step[], label: string): Promise<Undone>;
  /** What these steps changed, all together. */
  changes(steps: readonly Step[]): Changes;
  prune(): Promise<Pruned>;
  /** Remembers what files looked like, so that the next process need not read them all. */
  close(): void;
};

const MB = 1024 * 1024;
const DAY_MS = 86_400_000;

export function openShadow(options: ShadowOptions): Shadow {
  const { store, desk } = options;
  const { clock = Date.now, mostFileBytes = 32 * MB, mostBytes = 2048 * MB, keepMs = 30 * DAY_MS } = options;
  const { mostNewBytes = mostBytes } = options;
  const objects = new Objects(store);
  let seen: Seen | null = null;
  let latest: string | undefined;

  const keep = async (label: string): Promise<Kept> => {
    if (!objects.isThere()) [seen, latest] = [new Map(), undefined];
    seen ??= loadSeen(store, objects);
    latest ??= records(store).at(-1)?.tree;
    const kept = await keepDesk(desk, objects, seen, { mostFileBytes, mostNewBytes });
    if (kept.tree !== latest) record(store, { at: clock(), tree: kept.tree, label });
    latest = kept.tree;
    return kept;
  };

  const plan = async (steps: readonly Step[]): Promise<UndoPlan> => {
    const begun = loadJournal(store);
    if (begun?.key === keyOf(steps)) return begun.plan;
    const { tree } = await keep('before undoing');
    const planned = planUndo(objects, tree, steps);
    await objects.flush();
    return planned;
  };

  const undo = async (steps: readonly Step[], label: string): Promise<Undone> => {
    const begun = loadJournal(store);
    if (begun !== null && begun.key !== keyOf(steps)) finish(begun);
    const planned = await plan(steps);
    const journal: Journal = { key: keyOf(steps), plan: planned };
    replaceFile(journalIn(store), JSON.stringify(journal), { durable: true });
    const undone = finish(journal);
    await keep(label);
    return undone;
  };

  const finish = ({ plan }: Journal): Undone => {
    const { done, left } = restore(desk, objects, plan.actions);
    rmSync(journalIn(store), { force: true });
    const paths = (actions: Action[]): string[] => actions.map(({ path }) => shown(path));
    return {
      restored: paths(done.filter(({ to }) => to !== null)),
      removed: paths(done.filter(({ to }) => to === null)),
      overlaps: [...plan.overlaps, ...left],
      notRestorable: plan.notRestorable,
    };
  };

  return {
    keep,
    plan,
    undo,
    changes: (steps) => changesOf(objects, steps),
    prune: async () => {
      const pruned = prune(objects, clock(), { mostBytes, keepMs });
      for (const [path, { oid }] of seen ?? []) if (!objects.has(oid)) seen?.delete(path);
      return pruned;
    },
    close: () => {
      if (seen !== null && objects.isThere()) replaceFile(seenIn(store), JSON.stringify([...seen]));
    },
  };
}

type Journal = { key: string; plan: UndoPlan };

const journalIn = (store: string): string => join(store, 'undoing.json');
const seenIn = (store: string): string => join(store, 'seen.json');
const keyOf = (steps: readonly Step[]): string => hash('sha256', JSON.stringify(steps));

function loadJournal(store: string): Journal | null {
  return load(journalIn(store)) as Journal | null;
}

/** Only what is still in the store. */
function loadSeen(store: string, objects: Objects): Seen {
  const entries = (load(seenIn(store)) ?? []) as [string, { stamp: string; oid: string }][];
  return new Map(entries.filter(([, { oid }]) => objects.has(oid)));
}

/** Null when it is not there or not whole. */
function load(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw explained(error, file);
  }
}
