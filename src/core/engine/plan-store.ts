/**
 * Owns: the graphs of runs, checked, stored as artifacts and planned once; and the list of tools that a run could call.
 *
 * A graph must not be changed after it was started. With a store of artifacts only the latest stay in memory.
 */
import { hash } from 'node:crypto';
import { STEP_CHECK } from '../schema/acceptance.ts';
import { OkaError } from '../schema/errors.ts';
import { Graph } from '../schema/graph.ts';
import type { ArtifactStore, ToolRegistry } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { toolsListing } from '../schema/tool-listing.ts';
import { checkGraph } from './check-graph.ts';
import { assertNoProblems } from './graph-problem.ts';
import type { Surroundings } from './node-problems.ts';
import { type Plan, planOf } from './graph-plan.ts';
import type { StateGraph } from './agent-states.ts';

export type Plans = {
  /** The plan of a graph that is to be started; refused when it cannot run. */
  planGraph: (graph: Graph) => Promise<Plan>;
  /** The plan of a graph that was started once. */
  planFor: (sha256: string) => Promise<Plan>;
  /** Stores the list of the tools that are available now, under their version. */
  storeTools: () => Promise<void>;
};

const MOST_CACHED = 200;

export function createPlans(
  artifacts: ArtifactStore | undefined,
  states: StateGraph,
  tools: ToolRegistry,
  acceptance?: Surroundings['acceptance'],
): Plans {
  const cached = new Map<string, Graph>();
  const plans = new WeakMap<Graph, Promise<Plan>>();
  /** The list of tools that a graph was checked with last. */
  const checkedWith = new WeakMap<Graph, readonly Tool[]>();
  let storedTools: readonly Tool[] | null = null;
  return { planGraph, planFor, storeTools };

  async function storeTools(): Promise<void> {
    const list = tools.list();
    if (artifacts === undefined || storedTools === list) return;
    await artifacts.put(toolsListing(list), { media: 'application/json', name: 'tools.json' });
    storedTools = list;
  }

  async function planGraph(graph: Graph): Promise<Plan> {
    let plan = plans.get(graph);
    if (checkedWith.get(graph) !== tools.list()) {
      assertSound(graph, new Set(tools.list().map(({ name }) => name)), acceptance);
      checkedWith.set(graph, tools.list());
    }
    if (plan === undefined) {
      plan = store(graph).then((sha256) => planOf(graph, sha256, states));
      plans.set(graph, plan);
      plan.catch(() => plans.delete(graph)); // whoever awaits it gets the error; the next one tries anew
    }
    return plan;
  }

  async function store(graph: Graph): Promise<string> {
    const text = JSON.stringify(graph);
    const about = { media: 'application/json', name: `${graph.id}.json` };
    const sha256 = artifacts === undefined ? hash('sha256', text) : (await artifacts.put(text, about)).sha256;
    cache(sha256, graph);
    return sha256;
  }

  function cache(sha256: string, graph: Graph): void {
    cached.set(sha256, graph);
    const [oldest] = cached.keys();
    if (artifacts !== undefined && cached.size > MOST_CACHED && oldest !== undefined) cached.delete(oldest);
  }

  async function planFor(sha256: string): Promise<Plan> {
    const graph = cached.get(sha256) ?? (await storedGraph(sha256));
    return planOf(graph, sha256, states);
  }

  async function storedGraph(sha256: string): Promise<Graph> {
    if (artifacts === undefined)
      throw new OkaError(
        'no-such-run',
        `the graph ${sha256.slice(0, 12)} is not in memory, and there are no artifacts to read it from`,
      );
    const graph = Graph.parse(JSON.parse((await artifacts.get({ sha256 })).toString('utf8')));
    cache(sha256, graph);
    return graph;
  }
}

const nobodyChecks = (): string => `it would not be checked: there is no tool "${STEP_CHECK}"`;

function assertSound(graph: Graph, tools: ReadonlySet<string>, acceptance: Surroundings['acceptance']): void {
  const readable = tools.has(STEP_CHECK) ? acceptance : nobodyChecks;
  assertNoProblems(graph.id, checkGraph(graph, { tools, ...(readable === undefined ? {} : { acceptance: readable }) }));
}
