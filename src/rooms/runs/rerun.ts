/** Owns: starting a run that is made from an earlier one, on request; for a fork, with a copy of the desk. */
import { realpathSync, rmSync } from 'node:fs';
import { OkaError } from '../../core/schema/errors.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { ArtifactStore, ExecutionBackend } from '../../core/schema/ports.ts';
import type { Handled } from '../../core/schema/room.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';
import { makeForkDesk } from '../../kit/desk/fork-desks.ts';
import { deskStateAt } from '../../kit/runs/recorded-steps.ts';
import { eventsWithChildren } from '../../kit/runs/run-family.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { beginRun } from '../../kit/begin-run.ts';

type RerunPorts = {
  home: Home;
  runs: Pick<Runs, 'nodeStart' | 'stateOf' | 'eventsOf'>;
  backend: ExecutionBackend;
  artifacts: Pick<ArtifactStore, 'get'>;
  shadow: Snapshots;
  deskTurn: InTurn;
};
type Rerun = Extract<Intake, { kind: 'rerun' }>;

export async function rerun(ports: RerunPorts, intake: Rerun): Promise<Handled> {
  const { id, link, graph: sha256 } = intake;
  const graph = sha256 === undefined ? undefined : await readGraph(ports.artifacts, sha256);
  const linked = { kind: 'linked', run: id, link, ...(graph === undefined ? {} : { graph }) } as const;
  if (link.kind !== 'fork') return beginRun(ports.backend, linked);
  // The copy waits for the command that writes on the desk, and other requests are read meanwhile.
  return { answer: startFork(ports, intake, graph).then((run) => ({ run })) };
}

/** The copy is made first: without it nothing has started, and one without a run is removed again. */
async function startFork(ports: RerunPorts, { id, link }: Rerun, given: Graph | undefined): Promise<string> {
  const { home, runs, backend } = ports;
  const source = await runs.stateOf(link.run);
  if (source === null) throw new OkaError('no-such-run', `there is no run "${link.run}"`);
  if (link.node === undefined) throw new OkaError('usage', 'a fork starts at a node');
  const startSeq = await runs.nodeStart(link.run, link.node);
  await ports.deskTurn(() => copyDesk(ports, { id, run: link.run, startSeq, fork: source.plan.graph.desk }));
  try {
    const graph = { ...(given ?? source.plan.graph), desk: id };
    return await backend.start({ kind: 'linked', run: id, link, graph });
  } catch (error) {
    rmSync(deskFolder(home, id), { recursive: true, force: true });
    throw error;
  }
}

type Copied = { id: string; run: string; startSeq: number; fork: string | undefined };

/**
 * From the desk as it was, or from the copy that the earlier run worked in, if that was a fork itself. Where the run could
 * not write, the desk is as it is now.
 */
async function copyDesk({ home, runs, shadow }: RerunPorts, { id, run, startSeq, fork }: Copied): Promise<void> {
  const events = await eventsWithChildren(runs.eventsOf, run);
  const folder = fork === undefined ? null : realpathSync(deskFolder(home, fork));
  const snapshots = folder === null ? shadow : shadow.forFolder(folder);
  const then = deskStateAt(events, startSeq, folder);
  const isWhole = then !== null && then.place === undefined;
  const tree = isWhole ? then.tree : (await snapshots.snapshot(`for ${id}`)).tree;
  const state = then?.place === undefined ? tree : await snapshots.overlay(tree, then.tree, then.place);
  makeForkDesk(home, snapshots, id, state);
}

async function readGraph(artifacts: Pick<ArtifactStore, 'get'>, sha256: string): Promise<Graph> {
  const parsed = Graph.safeParse(JSON.parse((await artifacts.get({ sha256 })).toString('utf8')));
  if (!parsed.success) throw new OkaError('invalid-graph', `the artifact ${sha256.slice(0, 12)} is not a graph`);
  return parsed.data;
}
