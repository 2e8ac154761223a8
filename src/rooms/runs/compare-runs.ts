/** Owns: two runs side by side: what ran, what each node gave, the files that they left. Needs no pen. */
import { realpathSync } from 'node:fs';
import { foldRun } from '../../core/engine/fold-run.ts';
import { startOfNode } from '../../core/engine/linked-run.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { RunLink, RunStatus } from '../../core/schema/run.ts';
import type { Cost } from '../../core/schema/view-answers.ts';
import { openSnapshots, type Snapshots } from '../../kit/desk/snapshots.ts';
import { pathOfRun } from '../../kit/views/run-path.ts';
import type { RunRow } from '../../kit/views/run-rows.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { stepsOf } from '../../kit/runs/recorded-steps.ts';
import { deskStateAt } from '../../kit/runs/recorded-steps.ts';
import { undoFolder } from '../../kit/runs/undo-folder.ts';
import { eventsWithChildren } from '../../kit/runs/run-family.ts';
import { eventsOfRun, planOfRun, sinceStart } from '../../kit/runs/replay-runs.ts';
import { runWithSteps } from '../../kit/runs/run-with-steps.ts';

export type ComparedRun = { run: string; title: string; status: RunStatus; started: string; cost: Cost };
type RunsSideBySide = { runs: [ComparedRun, ComparedRun]; same: boolean } & RunComparison;

/** Compares two runs by their rows; of a task, the run with its steps. `same`: they ended alike, with equal outputs and files. */
export async function compareByName(
  home: Home,
  rowOf: (run: string) => Promise<RunRow>,
  names: readonly [string, string],
): Promise<RunsSideBySide> {
  const sideOf = async (name: string): Promise<ComparedRun> => {
    const named = await rowOf(name);
    const { run, status, started, spent } = await rowOf(runWithSteps(named));
    return { run, title: named.title, status, started, cost: spent };
  };
  const runs: [ComparedRun, ComparedRun] = [await sideOf(names[0]), await sideOf(names[1])];
  const compared = await compareRuns(home, runs[0].run, runs[1].run);
  const isSame = runs[0].status === runs[1].status && compared.outputs.length + (compared.files ?? []).length === 0;
  return { runs, same: isSame, ...compared };
}

/** A file that is not the same after both runs: its content after each, as a hash; null where it is not there. */
export type FileDifference = { path: string; content: [string | null, string | null] };
type RunComparison = {
  /** The nodes that ran, in order. */
  paths: [string[], string[]];
  /** Nodes that did not give the same in both. */
  outputs: { node: string; output: [Json, Json] }[];
  /** Null when the snapshots of one of them are no longer stored. */
  files: FileDifference[] | null;
};

async function compareRuns(home: Home, first: string, second: string): Promise<RunComparison> {
  const shadow = openSnapshots({ store: undoFolder(home), desk: deskFolder(home) });
  const sides = [await readSide(home, first), await readSide(home, second)] as const;
  return {
    paths: [sides[0].path, sides[1].path],
    outputs: differentOutputs(sides[0].outputs, sides[1].outputs),
    files: await differentFiles(home, shadow, sides),
  };
}

type Side = {
  path: string[];
  outputs: ReadonlyMap<string, Json>;
  events: readonly Event[];
  desk: string | undefined;
  link: RunLink | null;
};

async function readSide(home: Home, run: string): Promise<Side> {
  const own = sinceStart(await eventsOfRun(home, run));
  const plan = await planOfRun(home, own);
  const state = foldRun(plan, own);
  const nodes = plan.graph.nodes.map(({ id }) => id);
  return {
    path: pathOfRun(own, new Set(nodes)),
    outputs: new Map(nodes.map((id, index) => [id, state?.nodes[index]?.output ?? null])),
    events: await eventsWithChildren((id) => eventsOfRun(home, id), run),
    desk: plan.graph.desk,
    link: state?.link ?? null,
  };
}

function differentOutputs(
  first: ReadonlyMap<string, Json>,
  second: ReadonlyMap<string, Json>,
): RunComparison['outputs'] {
  const nodes = [...new Set([...first.keys(), ...second.keys()])];
  return nodes
    .map((node) => ({ node, output: [first.get(node) ?? null, second.get(node) ?? null] as [Json, Json] }))
    .filter(({ output: [a, b] }) => JSON.stringify(a) !== JSON.stringify(b));
}

/** Of the files that either run has changed, those that are not the same in the end. */
async function differentFiles(
  home: Home,
  shadow: Snapshots,
  sides: readonly [Side, Side],
): Promise<FileDifference[] | null> {
  try {
    const [first, second] = [await filesLeft(home, shadow, sides[0]), await filesLeft(home, shadow, sides[1])];
    const paths = [...new Set([...first.changed, ...second.changed])].toSorted();
    return paths
      .map((path): FileDifference => ({ path, content: [first.content(path), second.content(path)] }))
      .filter(({ content: [a, b] }) => a !== b);
  } catch (error) {
    if (error instanceof OkaError && error.code.startsWith('artifact-')) return null;
    throw error;
  }
}

type FilesLeft = { changed: string[]; content: (path: string) => string | null };

async function filesLeft(home: Home, shadow: Snapshots, side: Side): Promise<FilesLeft> {
  const at = side.desk === undefined ? null : deskFolder(home, side.desk);
  const folder = at === null || lstatIfPresent(at) === undefined ? at : realpathSync(at);
  const snapshots = folder === null ? shadow : shadow.forFolder(folder);
  const { created, changed, removed } = snapshots.changes(stepsOf(side.events, null, folder));
  const end = deskStateAt(side.events, Number.POSITIVE_INFINITY, folder);
  const files = end === null ? await filesAtFork(home, shadow, side) : snapshots.filesIn(end.tree);
  return { changed: [...created, ...changed, ...removed], content: (path) => files.get(path) ?? null };
}

/** A fork that has written nothing has the files that it started with. */
async function filesAtFork(home: Home, shadow: Snapshots, { link }: Side): Promise<ReadonlyMap<string, string>> {
  if (link?.kind !== 'fork' || link.node === undefined) return new Map();
  const source = sinceStart(await eventsOfRun(home, link.run));
  const plan = await planOfRun(home, source);
  const start = startOfNode(plan, source, link.node);
  const folder = plan.graph.desk === undefined ? null : realpathSync(deskFolder(home, plan.graph.desk));
  const events = await eventsWithChildren((id) => eventsOfRun(home, id), link.run);
  const state = start === null ? null : deskStateAt(events, source[start]?.seq ?? 0, folder);
  return state === null ? new Map() : (folder === null ? shadow : shadow.forFolder(folder)).filesIn(state.tree);
}
