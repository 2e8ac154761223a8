/** Runs that are made from an earlier one: their names, the graph that they run, and the request for them. */
import { join } from 'node:path';
import { openHomeVault } from '../vault/home-vault.ts';
import { graphsIn, loadGraph } from '../graphs/graph-files.ts';
import { nodeKinds } from '../house/room-contributions.ts';
import { readGraph } from '../../core/engine/lower.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { type RunRow, storedRun } from '../views/run-rows.ts';
import type { Answer, Call } from './command-module.ts';
import { findVersion, readVersions, textOfVersion } from '../graphs/stored-versions.ts';
import { readRuns } from './read-one-view.ts';
import { type RequestData, requestRun } from './run-requests.ts';

type Rerun = Extract<Intake, { kind: 'rerun' }>;

/** Starts the run, in the worker if one is running, else here and now. */
export async function startLinkedRun(
  call: Call,
  { id, link }: Pick<Rerun, 'id' | 'link'>,
  graph: Graph | null,
): Promise<Answer<RequestData>> {
  const stored = graph === null ? {} : { graph: await storeGraph(call, graph) };
  return requestRun(call, { kind: 'rerun', id, link, ...stored });
}

/** Stored as an artifact, since the worker reads it from there. */
async function storeGraph({ home }: Pick<Call, 'home'>, graph: Graph): Promise<string> {
  const vault = await openHomeVault(home);
  await vault.refresh();
  const about = { media: 'application/json', name: `${graph.id}.json` };
  return (await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(JSON.stringify(graph), about)).sha256;
}

export async function rowOfRun(call: Call, run: string): Promise<RunRow> {
  const row = await readRuns(call, (rows) => storedRun(rows, run));
  if (row === undefined)
    throw new OkaError('no-such-run', `there is no run "${run}"`, { fix: 'List the runs: oka runs' });
  return row;
}

/** The graph of a run as it is now: a file that was named, or the one in workspace/graphs; null when there is none. */
export async function graphNow(call: Call, row: Pick<RunRow, 'graph'>, file?: string): Promise<Graph | null> {
  const kinds = await nodeKinds(call.rooms);
  return file === undefined ? (graphsIn(call.home, kinds)(row.graph) ?? null) : loadGraph(file, kinds);
}

/** `version` is the graph that the run had (null), `latest` the graph as it is now; anything else names a saved version. */
export async function graphAt(call: Call, row: RunRow, at: string, file?: string): Promise<Graph | null> {
  if (at === 'version') return null;
  if (at !== 'latest') return savedGraph(call, row.graph, at);
  const graph = await graphNow(call, row, file);
  if (graph !== null) return graph;
  throw new OkaError('usage', `there is no workspace/graphs/${row.graph}.json`, { fix: 'Name the file: --graph FILE' });
}

async function savedGraph({ home, rooms }: Call, graph: string, version: string): Promise<Graph> {
  const found = findVersion(await readVersions(home, graph), version);
  return readGraph(JSON.parse(await textOfVersion(home, found)), await nodeKinds(rooms), graph).graph;
}

const LONGEST_BASE = 100;

/** A name that no run has: the earlier one's with a word behind it, and a number where that is taken. */
export function freeName(
  rows: Rows,
  run: string,
  word: string,
  isFree: (name: string) => boolean = () => true,
): string {
  const base = `${run.slice(0, LONGEST_BASE)}-${word}`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (storedRun(rows, name) === undefined && isFree(name)) return name;
  }
}
