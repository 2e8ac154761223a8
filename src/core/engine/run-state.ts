/** The state of a run: a fold of its events over its plan. Plain data; only fold-run.ts changes it. */
import type { CheckMoment } from '../schema/acceptance.ts';
import type { Decision } from '../schema/decision.ts';
import type { ErrorDecision } from '../schema/error-handling.ts';
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Evidence } from '../schema/ports.ts';
import type { Budgets, Mode, NodeStatus, RunLink, RunStatus, RunTurn } from '../schema/run.ts';
import type { ArtifactRef, Attempt } from '../schema/tool.ts';
import type { WaitFor } from '../schema/wait.ts';
import type { Plan } from './graph-plan.ts';

export type OpenCall = Attempt & {
  /** It tried more than its class allows: asked about as one of a higher class. */
  raised?: boolean;
  /** A person allowed this attempt. */
  approved?: true;
  /** The acceptance of its node was seen to fail right before it. */
  unaccepted?: true;
  /** It was ended in order, since the run was stopped. */
  stopped?: true;
  /** Nobody stopped it, and how it ended was not seen: what is known of that. */
  unseen?: string;
  /** On another machine: `written` until a person has said that it happened and its files come, then `awaited`. */
  elsewhere?: 'written' | 'awaited';
};

/** How a node with acceptance has ended; it is settled when its checks were made. */
export type Ending = {
  output: Json;
  reason: string;
  /** Whether it may be done again when its checks fail. */
  isRepeatable: boolean;
  /** Why it failed; empty when its checks pass, null while that is not known. */
  refusal: string | null;
};

/** A call of an agent's turn that has not been started; `entry` is the position of its entry in the evidence. */
export type QueuedCall = {
  tool: string;
  input: Json;
  entry: number;
  /** It was started together with other reads and did not end by itself: it is made again alone. */
  isAlone?: true;
  /** It failed once and is tried again. */
  isRetry?: true;
};

/** A call that was started together with other reads of its turn and has no outcome yet. */
export type OpenRead = OpenCall & { entry: number };

export type AgentState = {
  state: string;
  turn: number;
  evidence: Evidence[];
  /** Position in the evidence of the last decision, or of the call that was started alone last. */
  current: number;
  /** What the last decision asks a person, and has not been asked yet. */
  question: Extract<Decision, { kind: 'AskHuman' }> | null;
  /** Calls of the last decision that have not been started, in order. */
  queue: QueuedCall[];
  /** Calls of the last decision that only read and are in progress together (turn-reads.ts). */
  reads: OpenRead[];
  rejections: number;
  problem: string | null;
};

/** A failure that the error handler deals with (error-handler.ts). */
export type NodeFailure = {
  reason: string;
  /** The call that has failed. */
  call: OpenCall;
  /** The question to a model that is in progress. */
  question: string | null;
  /** What a model decided; none when it could not be asked. */
  decision: ErrorDecision | 'none' | null;
};

/** How often each rule, and a model, was used for a node. */
export type HandledCounts = Record<'rate' | 'timeout' | 'tool' | 'model', number>;

export type NodeState = {
  status: NodeStatus;
  /** How often an edge back has led here. */
  visit: number;
  /** How many of the nodes before it are not settled yet. */
  unmet: number;
  attempt: number;
  waited: number;
  output: Json;
  /** An intent without an outcome. */
  open: OpenCall | null;
  /** The last call, when it has to be made again (after an approval, or because it is in doubt). */
  again: OpenCall | null;
  /** True when `again` may have happened already. */
  doubt: boolean;
  /** Hash of what a person has allowed for the next attempt. */
  approved: string | null;
  /** The check of its acceptance that is in progress. */
  check: { call: string; when: CheckMoment } | null;
  /** How many checks of its acceptance were started. */
  checks: number;
  /** Whether its acceptance was seen to fail right before the next call; null when it was not checked yet. */
  baseline: 'fails' | 'unknown' | null;
  ending: Ending | null;
  /** A failure that is being handled. */
  failure: NodeFailure | null;
  /** What the error handler has changed for the attempts that follow. */
  handled: { timeoutFactor: number; isChanged: boolean } | null;
  /** How many questions about its failures were put to a model. */
  questions: number;
  /** How often it was done again because its acceptance failed. */
  redone: number;
  /** What must be awaited and has no wait yet. */
  awaiting: WaitFor | null;
  wait: string | null;
  agent: AgentState | null;
  /** Positions of a map's items, and for an item its map and value. */
  items: number[] | null;
  map: number | null;
  item: Json;
};

/** `opened`: when the question was asked, for one that is awaited only for a time. */
export type OpenWait = { wait: string; node: string | null; for: WaitFor; opened?: string };
type Spent = Record<'tokens' | 'usd' | 'tool_calls' | 'retries' | 'replans' | 'output_bytes', number>;

export type RunState = {
  id: string;
  title: string;
  mode: Mode;
  /** False for runs of earlier versions, and where no node has acceptance. */
  checksAcceptance: boolean;
  parent: string | null;
  /** The earlier run that it was made from. */
  link: RunLink | null;
  /** With which runs it takes turns. */
  turn: RunTurn | null;
  depth: number;
  plan: Plan;
  input: Json;
  /** Whether nothing in the input is what a tool gave in a run around it. */
  isInputGiven: boolean;
  status: RunStatus;
  /** The day it began, where it began: what {{date}} stands for. */
  date: string;
  /** Name of the state of the run, such as EXECUTE. */
  state: string;
  budgets: Budgets;
  spent: Spent;
  /** Configuration and state of each node; the items of maps follow after the nodes of the graph. */
  configs: Node[];
  nodes: NodeState[];
  /** Names of items; those of the graph's nodes are in the plan. */
  itemNames: Map<string, number>;
  /** Nodes for which something is to be decided, in the order in which that became so. */
  ready: Set<number>;
  /** Nodes at work. */
  active: Set<number>;
  waits: Map<string, OpenWait>;
  /** Edges back whose condition is met and that wait until nothing they start over is running or awaited. */
  back: number[];
  /** How often each edge was taken. */
  taken: number[];
  /** Nodes of the graph that an edge back has started over since the last act; the next act says so in its event. */
  restarted: number[];
  /** What people wrote to whoever works on the run, the latest last. */
  notes: string[];
  /** Nodes that were at work when a person asked to stop after this step; null when nobody did. */
  stopAfter: number[] | null;
  failure: { node: string; reason: string } | null;
  /** What the error handler has done: decisions of a model, by node, and the first ones in words. */
  handling: {
    model: number;
    nodes: Record<string, HandledCounts>;
    listed: { node: string; by: 'rule' | 'model'; action: string; reason: string }[];
  };
  output: Json;
  reason: string;
  artifacts: ArtifactRef[];
  ledger: { first: number; last: number };
  /** When the latest event happened that the engine folds: the run was at work until then. */
  at: string;
  /** When the run became active (ms), and how long it was active before; waiting for others does not count. */
  activeSince: number | null;
  activeMs: number;
};

export function freshNode(unmet: number, visit = 0): NodeState {
  return {
    status: 'pending',
    visit,
    unmet,
    attempt: 0,
    waited: 0,
    output: null,
    open: null,
    again: null,
    doubt: false,
    approved: null,
    check: null,
    checks: 0,
    baseline: null,
    ending: null,
    failure: null,
    handled: null,
    questions: 0,
    redone: 0,
    awaiting: null,
    wait: null,
    agent: null,
    items: null,
    map: null,
    item: null,
  };
}

export function nodeNamed(run: RunState, name: string | null): number | undefined {
  return name === null ? undefined : (run.plan.index.get(name) ?? run.itemNames.get(name));
}

export function nodeStateOf(run: RunState, name: string | null): NodeState | undefined {
  return run.nodes[nodeNamed(run, name) ?? -1];
}

/** Every call of a node that has no outcome yet. */
export function openCallsOf({ open, agent }: NodeState): OpenCall[] {
  return [...(open === null ? [] : [open]), ...(agent?.reads ?? [])];
}

export function isOver(status: RunStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}
