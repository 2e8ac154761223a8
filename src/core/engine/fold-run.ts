/**
 * Owns: what each event means for a run. Here, and in routing.ts and wait-answers.ts which it calls, a run's state changes;
 * nowhere else.
 *
 * E1 Folding the events of a run from the first gives the state that live code has.
 * E2 The cost of one event does not depend on how long the run has been going.
 * E3 An outcome of a call that is no longer open changes only what was spent.
 */
import type { Event } from '../schema/event.ts';
import { foldCheckEnded, foldCheckStarted } from './node-acceptance.ts';
import { applyDecision, recordOutcome, newAgent, applyRejection, takeQueued } from './agent.ts';
import { applyAnswer } from './wait-answers.ts';
import { foldHandled, foldQuestionEnded, foldQuestionStarted, isHandling, startHandling } from './error-handler.ts';
import type { Plan } from './graph-plan.ts';
import {
  type AgentState,
  freshNode,
  isOver,
  type NodeState,
  nodeNamed,
  type OpenCall,
  type RunState,
} from './run-state.ts';
import { applyReadEnded, applyReadStarted, returnReads } from './turn-reads.ts';
import { effectOf } from './repeat-rule.ts';
import { isAwaitingTurn } from './run-turns.ts';
import { nodesInProgress } from './stop-after-step.ts';
import { workedMs } from './work-time.ts';
import { failNode, finishNode, takeEdgesBack, prepareNode, settleNode, willStartOver } from './routing.ts';

type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** The types of event that change the state of a run that has started. All others leave it as it is. */
const FOLDED_TYPES = [
  'call.started',
  'call.ended',
  'call.misclassified',
  'node.settled',
  'error.handled',
  'decision.made',
  'decision.rejected',
  'wait.opened',
  'wait.closed',
  'note.received',
  'run.moved',
  'run.paused',
  'run.resumed',
  'run.time_skipped',
  'run.ended',
] as const satisfies readonly Event['type'][];

/** The engine's own union of events: a type that is added elsewhere changes nothing here. */
type FoldedEvent = EventOf<(typeof FOLDED_TYPES)[number]>;

const foldedTypes: ReadonlySet<string> = new Set(FOLDED_TYPES);

export function foldRun(plan: Plan, events: Iterable<Event>): RunState | null {
  let run: RunState | null = null;
  for (const event of events) run = run === null ? runFromStart(plan, event) : applyEvent(run, event);
  return run;
}

/** The state behind run.started; null for any other event. */
export function runFromStart(plan: Plan, event: Event): RunState | null {
  if (event.type !== 'run.started' || event.run === null) return null;
  const { data } = event;
  const run: RunState = {
    id: event.run,
    title: data.title,
    mode: data.mode,
    checksAcceptance: data.acceptance === 'checked',
    parent: data.parent,
    link: data.link ?? null,
    turn: data.turn ?? null,
    depth: data.depth,
    plan,
    input: data.input,
    isInputGiven: data.input_by === undefined,
    status: 'running',
    date: data.date ?? event.at.slice(0, 10),
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
    restarted: [],
    notes: [],
    stopAfter: null,
    failure: null,
    handling: { model: 0, nodes: {}, listed: [] },
    output: null,
    reason: '',
    artifacts: [],
    ledger: { first: event.seq, last: event.seq },
    at: event.at,
    activeSince: Date.parse(event.at),
    activeMs: 0,
  };
  run.nodes.forEach((node, index) => {
    if (node.unmet === 0) prepareNode(run, index);
  });
  takeEdgesBack(run);
  return run;
}

/** Changes and returns the state it is given. */
export function applyEvent(run: RunState, event: Event): RunState {
  run.ledger.last = event.seq;
  if (isAct(event) && run.restarted.length > 0) run.restarted = [];
  if (isFolded(event)) change(run, event);
  if (run.back.length > 0 && !isOver(run.status)) takeEdgesBack(run);
  if (!isOver(run.status) && run.status !== 'paused') updateStatus(run, event);
  if (isFolded(event)) run.at = event.at; // others may be written about a run that nobody drives
  return run;
}

/** Events that say which nodes were started over before them (`restarts`). */
function isAct({ type }: Event): boolean {
  return type === 'call.started' || type === 'wait.opened' || type === 'decision.made' || type === 'node.settled';
}

function isFolded(event: Event): event is FoldedEvent {
  return foldedTypes.has(event.type);
}

function change(run: RunState, event: FoldedEvent): void {
  switch (event.type) {
    case 'call.started':
      return callStarted(run, event);
    case 'call.ended':
      return callEnded(run, event);
    case 'call.misclassified':
      return callMisclassified(run, event);
    case 'node.settled':
      return nodeSettled(run, event);
    case 'error.handled':
      return foldHandled(run, event);
    case 'decision.made':
      return decisionMade(run, event);
    case 'decision.rejected':
      return decisionRejected(run, event);
    case 'wait.opened':
      return waitOpened(run, event);
    case 'wait.closed':
      return waitClosed(run, event);
    case 'note.received':
      return noteReceived(run, event);
    case 'run.moved':
      run.state = event.data.to;
      return;
    case 'run.paused':
      run.status = 'paused';
      run.stopAfter = null;
      return stopClock(run, event.at);
    case 'run.resumed':
      return runResumed(run);
    case 'run.time_skipped':
      if (run.activeSince !== null) run.activeSince += event.data.ms;
      return;
    case 'run.ended':
      return runEnded(run, event);
  }
}

/** A run is blocked when only others can make it go on. One that has failed or goes back has something to do itself. */
function updateStatus(run: RunState, event: Event): void {
  const hasWork = run.active.size > 0 || run.ready.size > 0 || run.failure !== null || run.back.length > 0;
  run.status = run.waits.size > 0 && (!hasWork || isAwaitingTurn(run)) ? 'blocked' : 'running';
  if (run.status === 'blocked') stopClock(run, event.at);
  else run.activeSince ??= Date.parse(event.at);
}

type CallStarted = EventOf<'call.started'>['data'];

function callStarted(run: RunState, event: EventOf<'call.started'>): void {
  const { data } = event;
  run.spent.tool_calls += 1;
  if (foldCheckStarted(run, event) || foldQuestionStarted(run, event)) return;
  withNode(run, data.node, (index, node) => {
    node.attempt = data.attempt;
    if (data.together === true && node.agent !== null) return startRead(run, index, node, node.agent, data);
    const isRepeated = node.again !== null;
    node.open = {
      call: data.call,
      attempt: data.attempt,
      tool: data.tool,
      class: data.class,
      ...(data.judged === undefined ? {} : { judged: data.judged }),
      ...(data.once === true ? { once: true as const } : {}),
      input: data.input,
      key: data.key ?? null,
      ...(node.again?.raised === true ? { raised: true } : {}),
      ...(node.approved === null ? {} : { approved: true as const }),
      ...(node.baseline === 'fails' ? { unaccepted: true as const } : {}),
    };
    node.baseline = null;
    node.again = null;
    node.doubt = false;
    node.approved = null;
    node.status = 'running';
    startMap(run, node);
    if (node.agent !== null) takeQueued(node.agent, run.plan.states, data, isRepeated);
    run.ready.delete(index);
    run.active.add(index);
  });
}

/** Whether further reads can start with it is decided, so the node stays ready. */
function startRead(run: RunState, index: number, node: NodeState, agent: AgentState, data: CallStarted): void {
  const { call, attempt, tool, class: effect, input } = data;
  applyReadStarted(agent, run.plan.states, { call, attempt, tool, class: effect, input, key: null });
  node.status = 'running';
  startMap(run, node);
  run.ready.add(index);
  run.active.add(index);
}

function callEnded(run: RunState, event: EventOf<'call.ended'>): void {
  const { data } = event;
  spend(run, data);
  run.artifacts.push(...(data.artifacts ?? []));
  foldCheckEnded(run, event);
  foldQuestionEnded(run, event);
  withNode(run, data.node, (index, node) => {
    if (node.agent !== null && applyReadEnded(node.agent, data)) {
      if (data.retried === true) run.spent.retries += 1;
      run.ready.add(index);
      return;
    }
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
    } else if (data.begun === false) {
      node.again = open;
      run.ready.add(index);
    } else if (data.status === 'cancelled') putInDoubt(run, index, node, { ...open, ...howItEnded(data) });
    else if (node.again !== null) run.ready.add(index);
    else if (node.agent !== null) {
      recordOutcome(node.agent, data.status, data.output, data.error ?? null, open.class);
      run.ready.add(index);
    } else if (data.status === 'ok') finishNode(run, index, data.output, '', isRepeatable(run, index, open));
    else if (data.status === 'failed' && isHandling(run.configs[index]))
      startHandling(run, index, open, data.error ?? data.status);
    else failNode(run, index, data.error ?? data.status);
  });
}

/** What may have changed something, or was allowed for one attempt, is not done again by itself; nor is a run inside. */
function isRepeatable(run: RunState, index: number, call: OpenCall): boolean {
  const { approved, once, tool } = call;
  const isCall = run.configs[index]?.kind === 'tool' && tool !== 'run.start';
  return isCall && effectOf(call) !== 'external_mutation' && once !== true && approved !== true;
}

/** A call that had to be asked about has not been made yet: it counts when it is made. */
function spend(run: RunState, { usage, for: awaited }: Pick<EventOf<'call.ended'>['data'], 'usage' | 'for'>): void {
  if (awaited?.kind === 'approval') run.spent.tool_calls -= 1;
  if (usage === undefined) return;
  run.spent.tokens += (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0);
  run.spent.usd += usage.usd ?? 0;
  run.spent.tool_calls += usage.tool_calls ?? 0;
  run.spent.output_bytes += usage.output_bytes ?? 0;
}

/** Notes hold for the rest of the run; of very many the latest do. */
function noteReceived(run: RunState, { data }: EventOf<'note.received'>): void {
  if (data.text !== '') run.notes = [...run.notes, data.text].slice(-MOST_NOTES);
  if (data.stop_after_step === true) run.stopAfter = nodesInProgress(run);
}

const MOST_NOTES = 50;

function nodeSettled(run: RunState, { data }: EventOf<'node.settled'>): void {
  withNode(run, data.node, (index) => settleNode(run, index, data.status, data.output, data.reason));
}

/** The kernel stopped what the call tried: when it has ended, a person is asked about it as one of a higher class. */
function callMisclassified(run: RunState, { data }: EventOf<'call.misclassified'>): void {
  withNode(run, data.node, (_, node) => {
    const read = node.agent?.reads.find(({ call }) => call === data.call);
    if (read !== undefined) read.raised = true;
    if (node.open?.call !== data.call) return;
    node.again = { ...node.open, class: 'write_local', raised: true };
  });
}

function decisionMade(run: RunState, { data }: EventOf<'decision.made'>): void {
  withNode(run, data.node, (index, node) => {
    if (node.status === 'done' || node.status === 'failed') return;
    node.agent ??= newAgent(run.plan.states.start);
    node.status = 'running';
    startMap(run, node);
    run.active.add(index);
    const end = applyDecision(node.agent, data.turn, data.decision);
    if (end === null) run.ready.add(index);
    else if (end.status === 'done') finishNode(run, index, end.output, end.reason, true);
    else failNode(run, index, end.reason);
  });
}

function decisionRejected(run: RunState, { data }: EventOf<'decision.rejected'>): void {
  withNode(run, data.node, (index, node) => {
    node.agent ??= newAgent(run.plan.states.start);
    const failed = applyRejection(node.agent, data.reason);
    if (failed !== null) failNode(run, index, failed);
    else run.ready.add(index);
  });
}

function waitOpened(run: RunState, { data, at }: EventOf<'wait.opened'>): void {
  const opened = data.for.kind === 'question' && data.for.timeout_seconds !== undefined ? { opened: at } : {};
  run.waits.set(data.wait, { wait: data.wait, node: data.node, for: data.for, ...opened });
  withNode(run, data.node, (index, node) => {
    node.status = 'waiting';
    startMap(run, node);
    node.wait = data.wait;
    node.waited += 1;
    node.awaiting = null;
    if (node.agent !== null) node.agent.question = null;
    run.ready.delete(index);
    run.active.delete(index);
  });
}

function waitClosed(run: RunState, { data }: EventOf<'wait.closed'>): void {
  const wait = run.waits.get(data.wait);
  if (wait === undefined) return;
  run.waits.delete(data.wait);
  spend(run, data.answer);
  run.activeMs += data.answer.usage?.ms ?? 0; // what it waited for was at work, it was not
  withNode(run, wait.node, (index, node) => {
    if (node.wait !== data.wait) return;
    node.wait = null;
    if (willStartOver(run, index)) node.status = 'pending';
    else applyAnswer(run, index, node, wait.for, data.answer);
  });
}

/** A map is running from the first of its items on. */
function startMap(run: RunState, { map }: NodeState): void {
  const owner = map === null ? undefined : run.nodes[map];
  if (owner?.status === 'pending') owner.status = 'running';
}

function runEnded(run: RunState, { data, at }: EventOf<'run.ended'>): void {
  run.status = data.status;
  run.output = data.output;
  run.reason = data.reason;
  run.active.clear();
  run.ready.clear();
  stopClock(run, at);
}

/** After a restart every intent without an outcome is in doubt. How long the run was at work is known up to its last event. */
function runResumed(run: RunState): void {
  if (isOver(run.status)) return;
  stopClock(run, run.at);
  run.nodes.forEach((node, index) => {
    if (node.agent !== null) returnReads(node.agent);
    if (node.open !== null) putInDoubt(run, index, node, node.open);
    else if (node.check !== null || node.failure !== null) {
      node.check = null;
      if (node.failure !== null) node.failure.question = null;
      run.active.delete(index);
      run.ready.add(index);
    } else if (node.status === 'running' && node.items === null) run.ready.add(index);
  });
  run.status = 'running';
}

function howItEnded({ stopped, unseen, elsewhere, error }: EventOf<'call.ended'>['data']): Partial<OpenCall> {
  if (unseen === true) return { unseen: error ?? '', ...(elsewhere === true && { elsewhere: 'written' as const }) };
  return stopped === true ? { stopped } : {};
}

function putInDoubt(run: RunState, index: number, node: NodeState, open: NodeState['open']): void {
  node.open = null;
  node.again = open;
  node.doubt = true;
  run.active.delete(index);
  run.ready.add(index);
}

function stopClock(run: RunState, at: string): void {
  run.activeMs = workedMs(run, Date.parse(at));
  run.activeSince = null;
}

function withNode(run: RunState, name: string | null, change: (index: number, node: NodeState) => void): void {
  const index = nodeNamed(run, name);
  const node = index === undefined ? undefined : run.nodes[index];
  if (index !== undefined && node !== undefined) change(index, node);
}
