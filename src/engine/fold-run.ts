/**
 * Owns: what each event means for a run. The only place where a run's state changes.
 *
 * E1 Folding the events of a run from the first gives the state that live code has.
 * E2 The cost of one event does not depend on how long the run has been going.
 * E3 An outcome of a call that is no longer open changes only what was spent.
 */
import type { Event } from '../schema/event.ts';
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { WaitAnswer, WaitFor } from '../schema/wait.ts';
import { decided, learned, newAgent, rejected } from './agent.ts';
import { lookupFor } from './input.ts';
import { downstreamOf, type Plan } from './plan.ts';
import { freshNode, isOver, type NodeState, nodeNamed, type RunState } from './run-state.ts';
import { fieldOf, filled } from './template.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

export function foldRun(plan: Plan, events: Iterable<Event>): RunState | null {
  let run: RunState | null = null;
  for (const event of events) run = run === null ? begun(plan, event) : applied(run, event);
  return run;
}

/** The state behind run.started; null for any other event. */
export function begun(plan: Plan, event: Event): RunState | null {
  if (event.type !== 'run.started' || event.run === null) return null;
  const { data } = event;
  const run: RunState = {
    id: event.run,
    title: data.title,
    mode: data.mode,
    parent: data.parent,
    depth: data.depth,
    plan,
    input: data.input,
    status: 'running',
    state: data.state,
    budgets: data.budgets,
    spent: { tokens: 0, usd: 0, tool_calls: 0, retries: 0, replans: 0, output_bytes: 0 },
    configs: [...plan.graph.nodes],
    nodes: plan.before.map((sources) => freshNode(sources.length)),
    itemNames: new Map(),
    ready: new Set(),
    active: new Set(),
    waits: new Map(),
    back: [],
    taken: plan.graph.edges.map(() => 0),
    failure: null,
    output: null,
    reason: '',
    artifacts: [],
    ledger: { first: event.seq, last: event.seq },
    at: event.at,
    activeSince: Date.parse(event.at),
    activeMs: 0,
  };
  run.nodes.forEach((node, index) => {
    if (node.unmet === 0) prepare(run, index);
  });
  return run;
}

/** Changes and returns the state it is given. */
export function applied(run: RunState, event: Event): RunState {
  run.ledger.last = event.seq;
  switch (event.type) {
    case 'call.started':
      callStarted(run, event);
      break;
    case 'call.ended':
      callEnded(run, event);
      break;
    case 'node.settled':
      withNode(run, event.data.node, (index) =>
        settle(run, index, event.data.status, event.data.output, event.data.reason),
      );
      break;
    case 'decision.made':
      withNode(run, event.data.node, (index) => decisionMade(run, index, event));
      break;
    case 'decision.rejected':
      withNode(run, event.data.node, (index, node) => {
        if (node.agent === null) node.agent = newAgent(run.plan.states.start);
        const failed = rejected(node.agent, event.data.reason);
        if (failed !== null) failNode(run, index, failed);
        else run.ready.add(index);
      });
      break;
    case 'wait.opened':
      waitOpened(run, event);
      break;
    case 'wait.closed':
      waitClosed(run, event);
      break;
    case 'run.moved':
      run.state = event.data.to;
      break;
    case 'run.paused':
      run.status = 'paused';
      rest(run, event.at);
      break;
    case 'run.resumed':
      resumed(run);
      break;
    case 'run.ended':
      run.status = event.data.status;
      run.output = event.data.output;
      run.reason = event.data.reason;
      run.active.clear();
      run.ready.clear();
      rest(run, event.at);
      break;
    case 'run.started':
    case 'run.planned':
    case 'worker.started':
    case 'worker.stopped':
    case 'intake.received':
    case 'intake.rejected':
    case 'ledger.repaired':
    case 'ledger.disk_full':
    case 'ledger.disk_freed':
    case 'ledger.archived':
      break;
  }
  if (run.back.length > 0 && !isOver(run.status)) goBack(run);
  if (!isOver(run.status) && run.status !== 'paused') workOrWait(run, event);
  run.at = event.at;
  return run;
}

/** A run is blocked when only others can make it go on. One that has failed or goes back has something to do itself. */
function workOrWait(run: RunState, event: Event): void {
  const hasWork = run.active.size > 0 || run.ready.size > 0 || run.failure !== null || run.back.length > 0;
  run.status = run.waits.size > 0 && !hasWork ? 'blocked' : 'running';
  if (run.status === 'blocked') rest(run, event.at);
  else run.activeSince ??= Date.parse(event.at);
}

function callStarted(run: RunState, { data }: Of<'call.started'>): void {
  run.spent.tool_calls += 1;
  withNode(run, data.node, (index, node) => {
    node.attempt = data.attempt;
    node.open = {
      call: data.call,
      attempt: data.attempt,
      tool: data.tool,
      class: data.class,
      input: data.input,
      key: data.key ?? null,
    };
    node.again = null;
    node.doubt = false;
    node.approved = null;
    node.status = 'running';
    if (node.agent !== null) node.agent.todo = null;
    run.ready.delete(index);
    run.active.add(index);
  });
}

function callEnded(run: RunState, { data }: Of<'call.ended'>): void {
  spend(run, data);
  run.artifacts.push(...(data.artifacts ?? []));
  withNode(run, data.node, (index, node) => {
    const { open } = node;
    if (open === null || open.call !== data.call) return;
    node.open = null;
    if (data.retried === true) {
      run.spent.retries += 1;
      node.again = open;
    } else if (data.status === 'waiting' && data.for !== undefined) {
      node.again = open;
      node.awaiting = data.for;
      run.ready.add(index);
    } else if (data.status === 'cancelled') inDoubt(run, index, node, open);
    else if (node.agent !== null) {
      learned(node.agent, data.status, data.output, data.error ?? null);
      run.ready.add(index);
    } else if (data.status === 'ok') settle(run, index, 'done', data.output, '');
    else failNode(run, index, data.error ?? data.status);
  });
}

/** A call that had to be asked about has not been made yet: it counts when it is made. */
function spend(run: RunState, { usage, for: awaited }: Of<'call.ended'>['data']): void {
  if (awaited?.kind === 'approval') run.spent.tool_calls -= 1;
  if (usage === undefined) return;
  run.spent.tokens += (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0);
  run.spent.usd += usage.usd ?? 0;
  run.spent.output_bytes += usage.output_bytes ?? 0;
}

function decisionMade(run: RunState, index: number, { data }: Of<'decision.made'>): void {
  const node = run.nodes[index];
  if (node === undefined || node.status === 'done' || node.status === 'failed') return;
  node.agent ??= newAgent(run.plan.states.start);
  node.status = 'running';
  run.active.add(index);
  const end = decided(node.agent, data.turn, data.decision);
  if (end === null) run.ready.add(index);
  else if (end.status === 'done') settle(run, index, 'done', end.output, end.reason);
  else failNode(run, index, end.reason);
}

function waitOpened(run: RunState, { data }: Of<'wait.opened'>): void {
  run.waits.set(data.wait, { wait: data.wait, node: data.node, for: data.for });
  withNode(run, data.node, (index, node) => {
    node.status = 'waiting';
    node.wait = data.wait;
    node.waited += 1;
    node.awaiting = null;
    if (node.agent !== null) node.agent.todo = null;
    run.ready.delete(index);
    run.active.delete(index);
  });
}

function waitClosed(run: RunState, { data }: Of<'wait.closed'>): void {
  const wait = run.waits.get(data.wait);
  if (wait === undefined) return;
  run.waits.delete(data.wait);
  withNode(run, wait.node, (index, node) => {
    if (node.wait !== data.wait) return;
    node.wait = null;
    if (!startsOver(run, index)) answered(run, index, node, wait.for, data.answer);
  });
}

function answered(run: RunState, index: number, node: NodeState, awaited: WaitFor, answer: WaitAnswer): void {
  const refused =
    awaited.kind === 'approval'
      ? answer.verdict !== 'approved'
      : answer.verdict === 'denied' || answer.verdict === 'expired' || answer.verdict === 'cancelled';
  const output = answer.output ?? answer.text ?? null;
  if (node.doubt) doubtAnswered(run, index, node, refused ? 'fail' : (answer.text ?? ''));
  else if (refused) {
    node.again = null;
    if (node.agent === null)
      failNode(run, index, `${awaited.kind} ${answer.verdict}${answer.text === undefined ? '' : `: ${answer.text}`}`);
    else carryOn(run, index, node, 'denied', null, `${answer.verdict}: ${answer.text ?? ''}`);
  } else if (
    node.again !== null &&
    (awaited.kind === 'approval' || awaited.kind === 'requirement' || awaited.kind === 'timer')
  ) {
    node.approved = awaited.kind === 'approval' ? awaited.binding : null;
    run.ready.add(index);
  } else if (node.agent !== null) carryOn(run, index, node, 'ok', output, null);
  else settle(run, index, 'done', output, '');
}

function carryOn(
  run: RunState,
  index: number,
  node: NodeState,
  status: 'ok' | 'denied',
  output: Json,
  error: string | null,
): void {
  node.again = null;
  node.status = 'running';
  if (node.agent !== null) learned(node.agent, status, output, error);
  run.active.add(index);
  run.ready.add(index);
}

/** Somebody looked whether a call in doubt had happened. */
function doubtAnswered(run: RunState, index: number, node: NodeState, answer: string): void {
  node.doubt = false;
  if (answer === 'repeat') run.ready.add(index);
  else if (answer !== 'done') failNode(run, index, 'a call in doubt was given up');
  else if (node.agent === null) settle(run, index, 'done', null, 'a person saw that it had happened');
  else carryOn(run, index, node, 'ok', null, null);
}

/** After a restart every intent without an outcome is in doubt. How long the run was at work is known up to its last event. */
function resumed(run: RunState): void {
  if (isOver(run.status)) return;
  rest(run, run.at);
  run.nodes.forEach((node, index) => {
    if (node.open !== null) inDoubt(run, index, node, node.open);
    else if (node.status === 'running' && node.items === null) run.ready.add(index);
  });
  run.status = 'running';
}

function inDoubt(run: RunState, index: number, node: NodeState, open: NodeState['open']): void {
  node.open = null;
  node.again = open;
  node.doubt = true;
  run.active.delete(index);
  run.ready.add(index);
}

function rest(run: RunState, at: string): void {
  if (run.activeSince !== null) run.activeMs += Date.parse(at) - run.activeSince;
  run.activeSince = null;
}

function failNode(run: RunState, index: number, reason: string): void {
  const config = run.configs[index];
  if (config?.on_error === 'fallback' && config.fallback !== undefined)
    settle(run, index, 'done', config.fallback, `fallback after: ${reason}`);
  else settle(run, index, 'failed', null, reason);
}

function settle(
  run: RunState,
  index: number,
  status: 'done' | 'failed' | 'skipped',
  output: Json,
  reason: string,
): void {
  const node = run.nodes[index];
  const config = run.configs[index];
  if (node === undefined || config === undefined || isSettled(node)) return;
  Object.assign(node, { status, output, open: null, again: null, awaiting: null, doubt: false });
  run.ready.delete(index);
  run.active.delete(index);
  if (status === 'failed') run.failure ??= { node: config.id, reason };
  else if (node.map !== null) itemSettled(run, node.map);
  else if (status === 'skipped' || !leadBack(run, index, output)) release(run, index);
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

/** Tells those behind that a node is settled. */
function release(run: RunState, index: number): void {
  for (const next of run.plan.behind[index] ?? []) {
    const node = run.nodes[next];
    if (node === undefined || isSettled(node)) continue;
    node.unmet -= 1;
    if (node.unmet === 0) prepare(run, next);
  }
}

/** A node whose turn has come: a map gets its items, everything else is to be decided. */
function prepare(run: RunState, index: number): void {
  const config = run.configs[index];
  if (config?.kind === 'map' && isReached(run, index)) expand(run, index, config);
  else run.ready.add(index);
}

/** Whether the ways that lead to a node were taken: every need is done, and if there are edges to it, one holds. */
export function isReached(run: RunState, index: number): boolean {
  const config = run.configs[index];
  const isDone = (name: string): boolean => run.nodes[run.plan.index.get(name) ?? -1]?.status === 'done';
  if (config === undefined || !config.needs.every(isDone)) return false;
  const edges = run.plan.forwardTo[index] ?? [];
  return edges.length === 0 || edges.some((edge) => holds(run, edge));
}

function holds(run: RunState, edgeIndex: number): boolean {
  const edge = run.plan.graph.edges[edgeIndex];
  const source = run.nodes[run.plan.index.get(edge?.from ?? '') ?? -1];
  if (edge === undefined || source?.status !== 'done') return false;
  if (edge.when === undefined) return true;
  const value = fieldOf(source.output, edge.when.field === '' ? [] : edge.when.field.split('.'));
  return JSON.stringify(value) === JSON.stringify(edge.when.equals);
}

/** Takes an edge back if one holds: everything from its target on is to be done again. */
function leadBack(run: RunState, index: number, output: Json): boolean {
  const edgeIndex = (run.plan.backFrom[index] ?? []).find((candidate) => holds(run, candidate));
  const edge = edgeIndex === undefined ? undefined : run.plan.graph.edges[edgeIndex];
  if (edgeIndex === undefined || edge === undefined) return false;
  const taken = run.taken[edgeIndex] ?? 0;
  if (taken >= (edge.max ?? 0) || run.spent.replans >= (run.budgets.replans ?? Number.POSITIVE_INFINITY)) {
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
function goBack(run: RunState): void {
  for (const edgeIndex of run.back) {
    const affected = affectedBy(run, edgeIndex);
    if ([...affected].some((index) => run.nodes[index]?.open != null || run.nodes[index]?.wait != null)) continue;
    run.back = run.back.filter((other) => other !== edgeIndex && !affected.has(sourceOf(run, other)));
    run.taken[edgeIndex] = (run.taken[edgeIndex] ?? 0) + 1;
    run.spent.replans += 1;
    startOver(run, run.plan.index.get(run.plan.graph.edges[edgeIndex]?.to ?? '') ?? -1, affected);
    return;
  }
}

/** Whether an edge back is about to start a node over. */
export function startsOver(run: RunState, index: number): boolean {
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
  }
  prepare(run, from);
}

/** The items of a map become nodes of their own, named map__0, map__1, … */
function expand(run: RunState, index: number, config: Extract<Node, { kind: 'map' }>): void {
  const node = run.nodes[index];
  const list = filled(config.over, lookupFor(run, index));
  if (node === undefined) return;
  node.status = 'running';
  if (!Array.isArray(list))
    return failNode(run, index, `"over" gave ${JSON.stringify(list)?.slice(0, 100)}, which is not a list`);
  node.items = list.map((item, position) => addItem(run, index, config, item, position));
  node.unmet = node.items.length;
  if (node.items.length === 0) run.ready.add(index);
}

function addItem(
  run: RunState,
  map: number,
  config: Extract<Node, { kind: 'map' }>,
  item: Json,
  position: number,
): number {
  const id = `${config.id}__${position}`;
  const index = run.itemNames.get(id) ?? run.nodes.length;
  run.itemNames.set(id, index);
  run.configs[index] = { ...config.each, id };
  run.nodes[index] = { ...freshNode(0, run.nodes[map]?.visit ?? 0), map, item };
  run.ready.add(index);
  return index;
}

function withNode(run: RunState, name: string | null, change: (index: number, node: NodeState) => void): void {
  const index = nodeNamed(run, name);
  const node = index === undefined ? undefined : run.nodes[index];
  if (index !== undefined && node !== undefined) change(index, node);
}
