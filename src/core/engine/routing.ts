/**
 * Owns: how a run gets from one node to the next: settling a node, releasing those behind it, taking edges, going back,
 * giving a map its items. Called by fold-run.ts alone, for every change; decide.ts only asks.
 */
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { isAccepting } from './node-acceptance.ts';
import { edgeApplies } from './edge-condition.ts';
import { mostItems } from './mode-rules.ts';
import { errorBranch, failureOf } from './node-failure.ts';
import { lookupFor } from './node-input.ts';
import { downstreamOf } from './graph-plan.ts';
import { pinOf } from './pinned-nodes.ts';
import { freshNode, type NodeState, openCallsOf, type RunState } from './run-state.ts';
import { fillTemplate } from './template.ts';
import { isUnknown, unknownField } from './unknown-value.ts';

export function failNode(run: RunState, index: number, reason: string): void {
  const config = run.configs[index];
  if (config === undefined) return;
  const end = failureOf(config, reason);
  settleNode(run, index, end.status, end.output, end.reason);
}

/** A node has ended well. With acceptance it is done only when its checks pass. */
export function finishNode(run: RunState, index: number, output: Json, reason: string, isRepeatable: boolean): void {
  const node = run.nodes[index];
  if (node === undefined || isSettled(node)) return;
  if (!isAccepting(run, index)) return settleNode(run, index, 'done', output, reason);
  Object.assign(node, { status: 'running', open: null, again: null, awaiting: null, doubt: false });
  node.ending = { output, reason, isRepeatable, refusal: null };
  run.active.add(index);
  run.ready.add(index);
}

export function settleNode(
  run: RunState,
  index: number,
  status: 'done' | 'failed' | 'skipped',
  output: Json,
  reason: string,
): void {
  const node = run.nodes[index];
  const config = run.configs[index];
  if (node === undefined || config === undefined || isSettled(node)) return;
  node.status = status;
  node.output = output;
  node.open = null;
  node.again = null;
  node.awaiting = null;
  node.doubt = false;
  node.check = null;
  node.failure = null;
  node.ending = null;
  run.ready.delete(index);
  run.active.delete(index);
  if (status === 'failed' && errorBranch(config) === null) run.failure ??= { node: config.id, reason };
  else if (node.map !== null) itemSettled(run, node.map);
  else if (status !== 'done' || !chooseEdgeBack(run, index, output)) releaseNext(run, index);
}

function isSettled(node: NodeState): boolean {
  return node.status === 'done' || node.status === 'failed' || node.status === 'skipped';
}

function itemSettled(run: RunState, map: number): void {
  const items = run.nodes[map]?.items ?? [];
  const owner = run.nodes[map];
  if (owner === undefined) return;
  owner.unmet -= 1;
  if (owner.unmet === 0 && items.length > 0) run.ready.add(map);
}

/** Notifies the nodes behind it that a node is settled. */
function releaseNext(run: RunState, index: number): void {
  for (const next of run.plan.behind[index] ?? []) {
    const node = run.nodes[next];
    if (node?.status !== 'pending') continue;
    node.unmet -= 1;
    if (node.unmet === 0) prepareNode(run, next);
  }
}

/** A node whose turn has come: a map gets its items, everything else is to be decided. */
export function prepareNode(run: RunState, index: number): void {
  const config = run.configs[index];
  const isPinned = config !== undefined && pinOf(run.plan.graph, config.id) !== undefined;
  if (config?.kind === 'map' && !isPinned && isReached(run, index)) expandMap(run, index, config);
  else run.ready.add(index);
}

/** Whether a node is reached: every need is done and, if there are edges to it, the condition of one is met. */
export function isReached(run: RunState, index: number): boolean {
  const config = run.configs[index];
  const isDone = (name: string): boolean => run.nodes[run.plan.index.get(name) ?? -1]?.status === 'done';
  if (config === undefined || !config.needs.every(isDone)) return false;
  const edges = run.plan.forwardTo[index] ?? [];
  return edges.length === 0 || edges.some((edge) => edgeApplies(run, edge));
}

/** Chooses an edge back if its condition is true: everything from its target on is to be done again. A node that is started over leads nowhere. */
function chooseEdgeBack(run: RunState, index: number, output: Json): boolean {
  if (willStartOver(run, index)) return true;
  const edgeIndex = (run.plan.backFrom[index] ?? []).find((candidate) => edgeApplies(run, candidate));
  const edge = edgeIndex === undefined ? undefined : run.plan.graph.edges[edgeIndex];
  if (edgeIndex === undefined || edge === undefined) return false;
  const taken = run.taken[edgeIndex] ?? 0;
  const replans = run.spent.replans + run.back.length;
  if (taken >= (edge.max ?? 0) || replans >= (run.budgets.replans ?? Number.POSITIVE_INFINITY)) {
    run.failure ??= {
      node: edge.from,
      reason: `went back to ${edge.to} ${taken} times and that is the limit; last output ${JSON.stringify(output).slice(0, 200)}`,
    };
    return true;
  }
  run.back.push(edgeIndex);
  return true;
}

/** Takes the edges back that wait, as soon as every call they start over has its outcome and every wait is closed. */
export function takeEdgesBack(run: RunState): void {
  for (let edge = nextEdgeBack(run); edge !== undefined; edge = nextEdgeBack(run)) {
    const affected = affectedBy(run, edge);
    run.back = run.back.filter((other) => other !== edge && !affected.has(sourceOf(run, other)));
    run.taken[edge] = (run.taken[edge] ?? 0) + 1;
    run.spent.replans += 1;
    startOver(run, run.plan.index.get(run.plan.graph.edges[edge]?.to ?? '') ?? -1, affected);
  }
}

function nextEdgeBack(run: RunState): number | undefined {
  return run.back.find((edge) => ![...affectedBy(run, edge)].some((index) => isBusy(run, index)));
}

/** Whether a call is in flight, is about to be tried again, or something is awaited. */
function isBusy(run: RunState, index: number): boolean {
  const node = run.nodes[index];
  if (node === undefined) return false;
  const isBetweenAttempts = node.again !== null && run.active.has(index) && !run.ready.has(index);
  const isAsking = node.check !== null || node.failure?.question != null;
  return openCallsOf(node).length > 0 || isAsking || node.wait !== null || isBetweenAttempts;
}

/** Whether an edge back is about to start a node over. */
export function willStartOver(run: RunState, index: number): boolean {
  return run.back.some((edgeIndex) => affectedBy(run, edgeIndex).has(index));
}

function affectedBy(run: RunState, edgeIndex: number): Set<number> {
  const affected = downstreamOf(run.plan, run.plan.index.get(run.plan.graph.edges[edgeIndex]?.to ?? '') ?? -1);
  for (const index of affected) for (const item of run.nodes[index]?.items ?? []) affected.add(item);
  return affected;
}

function sourceOf(run: RunState, edgeIndex: number): number {
  return run.plan.index.get(run.plan.graph.edges[edgeIndex]?.from ?? '') ?? -1;
}

function startOver(run: RunState, from: number, affected: ReadonlySet<number>): void {
  for (const index of affected) {
    const unmet = index === from ? 0 : (run.plan.before[index] ?? []).filter((source) => affected.has(source)).length;
    run.nodes[index] = freshNode(unmet, (run.nodes[index]?.visit ?? 0) + 1);
    run.ready.delete(index);
    run.active.delete(index);
    if (index < run.plan.graph.nodes.length && !run.restarted.includes(index)) run.restarted.push(index);
  }
  prepareNode(run, from);
}

/**
 * The items of a map become nodes of their own, named map__0, map__1, …; the map is running from the first item on.
 * Without a list there are no items, and the map is to be settled as failed.
 */
function expandMap(run: RunState, index: number, config: MapNode): void {
  const node = run.nodes[index];
  const list = mapList(run, index, config);
  if (node === undefined) return;
  if (Array.isArray(list) && list.length <= mostItems(config, run.mode))
    node.items = list.map((item, position) => addItem(run, index, config, item, position));
  node.unmet = node.items?.length ?? 0;
  if (node.unmet === 0) run.ready.add(index);
}

/** What a map is to be done for. Of a list that a simulation does not know, one item stands for all. */
export function mapList(run: RunState, index: number, { over }: MapNode): Json {
  const list = fillTemplate(over, lookupFor(run, index));
  return isUnknown(list) ? [unknownField(list, ['item'])] : list;
}

type MapNode = Extract<Node, { kind: 'map' }>;

function addItem(run: RunState, map: number, config: MapNode, item: Json, position: number): number {
  const id = `${config.id}__${position}`;
  const index = run.itemNames.get(id) ?? run.nodes.length;
  run.itemNames.set(id, index);
  run.configs[index] = { ...config.each, id };
  run.nodes[index] = { ...freshNode(0, run.nodes[map]?.visit ?? 0), map, item };
  run.ready.add(index);
  return index;
}
