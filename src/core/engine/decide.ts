/**
 * Owns: what to do next in a run. Pure: the same state gives the same steps.
 *
 * D1 A node and a model's turn answer with the same five words: a tool node gives CallTool, a wait gives AskHuman (Wait),
 *    the run as a whole gives Finish or Fail; Think asks the planner of an agent for one of the five.
 * D2 At most `parallel` nodes are at work, and of a map's items at most the map's own number. Those at work come first:
 *    a new node never prevents one that is at work from continuing.
 * D3 A call in doubt is repeated only if repeating does no harm (repeat-rule.ts); else a person is asked.
 *    Its acceptance, if it can decide that, is checked before anybody is asked (node-acceptance.ts).
 * D4 Before an edge back is taken, every call it starts over has ended and every wait is withdrawn: nothing is orphaned.
 * D5 After a failure nothing new starts; the run fails when nothing is open any more.
 * D6 Of one turn of an agent, reads may be in progress together; anything else starts when every call of the turn before
 *    it is settled (turn-reads.ts).
 */
import { hash } from 'node:crypto';
import { type CheckMoment, STEP_CHECK } from '../schema/acceptance.ts';
import { ERROR_DECIDE } from '../schema/error-handling.ts';
import type { Node } from '../schema/graph.ts';
import type { OpenFolder } from '../schema/folder.ts';
import type { Json } from '../schema/json.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import { jsonField } from '../schema/json-field.ts';
import { type Attempt, type Author, runsCommand, type Tool } from '../schema/tool.ts';
import type { WaitFor } from '../schema/wait.ts';
import { checkInput, checkName, isAccepting, needsBaseline } from './node-acceptance.ts';
import { type Handled, handlerStep, questionInput, questionName } from './error-handler.ts';
import { inputOf, lookupFor } from './node-input.ts';
import { inputProblem } from './data-contract.ts';
import { endWithoutCall } from './end-without-call.ts';
import { authorOf } from './origins.ts';
import { nodeTitle } from './graph-plan.ts';
import { PINNED, pinOf } from './pinned-nodes.ts';
import {
  type AgentState,
  type Ending,
  type NodeFailure,
  type NodeState,
  nodeNamed,
  type OpenCall,
  openCallsOf,
  type QueuedCall,
  type RunState,
} from './run-state.ts';
import { stuckReason } from './loop-detection.ts';
import { isAwaitingTurn } from './run-turns.ts';
import { readsToStart } from './turn-reads.ts';
import { fillTemplate } from './template.ts';
import { type NodeEnd, failureOf } from './node-failure.ts';
import { callTerms, isSafeInDoubt } from './repeat-rule.ts';
import { isReached, willStartOver } from './routing.ts';
import { DOUBT_ANSWERS, lacksFiles } from './wait-answers.ts';

const LONGEST_QUESTION = 20_000;

export type CallStep = Attempt & {
  kind: 'CallTool';
  node: string;
  approval: string | null;
  /** Ask a person whatever the policy says. */
  ask: boolean;
  /** It checks the acceptance of the node or asks about its failure, or was made within such a call. */
  isCheck?: true;
  /** It only reads, and is made together with other reads of its turn. */
  together?: true;
  /** It failed before when it was made together with others: one attempt of its retries is used. */
  isRetry?: true;
};

export type ThinkStep = { kind: 'Think'; node: string; turn: number };

export type Step =
  | CallStep
  | ThinkStep
  | { kind: 'Wait'; node: string; wait: string; for: WaitFor }
  | { kind: 'Withdraw'; node: string; wait: string; for: WaitFor }
  | { kind: 'Settle'; node: string; status: 'done' | 'failed' | 'skipped'; reason: string; output: Json }
  | { kind: 'Handle'; node: string; handled: Handled }
  | { kind: 'Finish'; output: Json }
  | { kind: 'Fail'; reason: string };

export type SettleStep = Extract<Step, { kind: 'Settle' }>;

/** What has to be known of a tool to decide. */
export type ToolLookup = (
  name: string,
) =>
  | Pick<Tool, 'annotations' | 'classOf' | 'estimate' | 'idempotent' | 'judgedClassOf' | 'parallel' | 'targets'>
  | undefined;

export function decide(run: RunState, tools: ToolLookup): Step[] {
  if (run.status !== 'running' || isAwaitingTurn(run)) return [];
  if (run.failure !== null)
    return hasOpenCall(run) ? [] : [{ kind: 'Fail', reason: `${run.failure.node}: ${run.failure.reason}` }];
  if (run.back.length > 0) return withdrawals(run);
  if (run.ready.size === 0)
    return run.active.size === 0 && run.waits.size === 0 ? [{ kind: 'Finish', output: outputOf(run) }] : [];
  return stepsOf(run, tools);
}

/** Before an edge back is taken nothing new starts, and what is awaited by steps that start over is withdrawn. */
function withdrawals(run: RunState): Step[] {
  return [...run.waits.values()].flatMap(({ wait, node, for: awaited }) => {
    const index = nodeNamed(run, node);
    return node !== null && index !== undefined && willStartOver(run, index)
      ? [{ kind: 'Withdraw', node, wait, for: awaited }]
      : [];
  });
}

function stepsOf(run: RunState, tools: ToolLookup): Step[] {
  const steps: Step[] = [];
  for (const index of run.active) if (run.ready.has(index)) steps.push(...stepsFor(run, index, tools));
  const itemsAtWork = new Map<number, number>();
  let free = run.plan.graph.parallel - run.active.size;
  for (const index of run.ready) {
    if (free <= 0) break;
    const map = run.nodes[index]?.map ?? null;
    if (run.active.has(index) || (map !== null && !mayStartItem(run, map, itemsAtWork))) continue;
    steps.push(...stepsFor(run, index, tools));
    free -= 1;
  }
  return steps;
}

function mayStartItem(run: RunState, map: number, started: Map<number, number>): boolean {
  const config = run.configs[map];
  const atWork = started.get(map) ?? (run.nodes[map]?.items ?? []).filter((item) => run.active.has(item)).length;
  if (config?.kind !== 'map' || atWork >= config.parallel) return false;
  started.set(map, atWork + 1);
  return true;
}

/** An agent may make several calls at once, or none while it waits for them; every other node has one step. */
function stepsFor(run: RunState, index: number, tools: ToolLookup): Step[] {
  const [config, node] = [run.configs[index], run.nodes[index]];
  const isTurn = node?.awaiting === null && node.ending === null && node.again === null;
  if (config === undefined || !isTurn || node.agent === null) return [stepFor(run, index, tools)];
  const reads = readSteps(run, config, node, node.agent, tools);
  return reads.length > 0 || node.agent.reads.length > 0 ? reads : [stepFor(run, index, tools)];
}

/** The reads of a turn that start together now; none when only one could. */
function readSteps(run: RunState, config: Node, node: NodeState, agent: AgentState, tools: ToolLookup): CallStep[] {
  const author = authorOf(run, config);
  const effectOf = ({ tool, input }: QueuedCall): SideEffectClass =>
    classOf(tools, tool, input, author, run.plan.graph.folders);
  return readsToStart(
    agent,
    run.plan.states,
    (call) => tools(call.tool)?.parallel === true && effectOf(call) === 'read',
  ).map((call, position) => ({
    ...callStep(run, config, node, call.tool, call.input, null, tools, node.attempt + 1 + position),
    together: true,
  }));
}

function stepFor(run: RunState, index: number, tools: ToolLookup): Step {
  const [config, node] = [run.configs[index], run.nodes[index]];
  if (config === undefined || node === undefined) throw new Error(`node ${index} of run ${run.id} is not there`);
  if (node.awaiting !== null) return waitStep(run, config, node, node.awaiting);
  if (node.failure !== null) return failureStep(run, index, config, node, node.failure, tools);
  if (node.ending !== null) return endingStep(run, config, node, node.ending, tools);
  if (node.again !== null) return repeatStep(run, index, config, node, node.again, tools);
  if (node.map === null && node.attempt === 0 && node.agent === null && !isReached(run, index)) {
    return {
      kind: 'Settle',
      node: config.id,
      status: 'skipped',
      reason: 'the way that leads here was not taken',
      output: null,
    };
  }
  const pinned = node.map === null ? pinOf(run.plan.graph, config.id) : undefined;
  if (pinned !== undefined) return { kind: 'Settle', node: config.id, status: 'done', reason: PINNED, output: pinned };
  const misfit = isFresh(node) ? inputProblem(config, () => inputOf(run, index)) : null;
  if (misfit !== null) return { kind: 'Settle', node: config.id, ...failureOf(config, misfit) };
  switch (config.kind) {
    case 'tool':
      if (needsBaseline(run, index, config, node)) return checkStep(run, config, node, 'before', tools);
      return callStep(run, config, node, config.tool, inputOf(run, index), keyOf(run, index, config), tools);
    case 'graph':
      return callStep(
        run,
        config,
        node,
        'run.start',
        { graph: config.graph, input: inputOf(run, index) },
        keyOf(run, index, config),
        tools,
      );
    case 'wait':
      return waitStep(run, config, node, filledQuestion(run, index, config.for));
    case 'map':
      if (node.items !== null && isAccepting(run, index)) return checkStep(run, config, node, 'after', tools);
      return { kind: 'Settle', node: config.id, ...endWithoutCall(run, index, config) };
    case 'agent':
      return agentStep(run, config, node, tools);
    case 'typed_condition':
    case 'transform':
      return { kind: 'Settle', node: config.id, ...endWithoutCall(run, index, config) };
  }
}

const isFresh = ({ attempt, agent, items }: NodeState): boolean => attempt === 0 && agent === null && items === null;

/** A question whose answer chooses a branch may contain templates. */
function filledQuestion(run: RunState, index: number, awaited: WaitFor): WaitFor {
  if (awaited.kind !== 'question' || awaited.branch !== true) return awaited;
  const text = fillTemplate(awaited.text, lookupFor(run, index));
  return { ...awaited, text: (typeof text === 'string' ? text : JSON.stringify(text)).slice(0, LONGEST_QUESTION) };
}

function agentStep(run: RunState, config: Node, node: NodeState, tools: ToolLookup): Step {
  const { agent } = node;
  if (agent === null) return { kind: 'Think', node: config.id, turn: 0 };
  if (agent.question !== null) {
    const { question, options } = agent.question;
    return waitStep(run, config, node, {
      kind: 'question',
      text: question,
      ...(options === undefined ? {} : { options }),
    });
  }
  const [next] = agent.queue;
  if (next !== undefined) {
    const step = callStep(run, config, node, next.tool, next.input, null, tools);
    return next.isRetry === true ? { ...step, isRetry: true } : step;
  }
  const stuck = stuckReason(agent.evidence);
  if (stuck !== null)
    return { kind: 'Settle', node: config.id, ...failureOf(config, `going round in circles: ${stuck}`) };
  return { kind: 'Think', node: config.id, turn: agent.turn };
}

function callStep(
  run: RunState,
  config: Node,
  node: NodeState,
  tool: string,
  input: Json,
  key: string | null,
  tools: ToolLookup,
  attempt = node.attempt + 1,
): CallStep {
  return {
    kind: 'CallTool',
    node: config.id,
    call: callName(run, config, node, String(attempt)),
    attempt,
    tool,
    ...callTerms(tools(tool), input, authorOf(run, config), run.plan.graph.folders),
    input,
    key,
    approval: node.approved,
    ask: false,
  };
}

/** A node that has ended well is settled when its acceptance was checked. */
function endingStep(run: RunState, config: Node, node: NodeState, ending: Ending, tools: ToolLookup): Step {
  const { output, reason, refusal } = ending;
  if (refusal === null) return checkStep(run, config, node, 'after', tools);
  const settled: NodeEnd = refusal === '' ? { status: 'done', reason, output } : failureOf(config, refusal);
  return { kind: 'Settle', node: config.id, ...settled };
}

/** What is done about a failure: a rule or an answer is written down, or a model is asked (error-handler.ts). */
function failureStep(
  run: RunState,
  index: number,
  config: Node,
  node: NodeState,
  failure: NodeFailure,
  tools: ToolLookup,
): Step {
  const next = handlerStep(run, index, failure);
  if (!('ask' in next)) return { kind: 'Handle', node: config.id, handled: next };
  const input = questionInput(next.ask);
  return {
    kind: 'CallTool',
    node: config.id,
    call: questionName(run, config, node),
    attempt: node.questions + 1,
    tool: ERROR_DECIDE,
    class: classOf(tools, ERROR_DECIDE, input, run.plan.graph.author, run.plan.graph.folders),
    input,
    key: null,
    approval: null,
    ask: false,
    isCheck: true,
  };
}

function checkStep(run: RunState, config: Node, node: NodeState, when: CheckMoment, tools: ToolLookup): CallStep {
  const input = checkInput(config, when);
  return {
    kind: 'CallTool',
    node: config.id,
    call: checkName(run, config, node),
    attempt: node.checks + 1,
    tool: STEP_CHECK,
    class: classOf(tools, STEP_CHECK, input, run.plan.graph.author, run.plan.graph.folders),
    input,
    key: null,
    approval: node.approved,
    ask: false,
    isCheck: true,
  };
}

/** A call whose approval has come, or one that may or may not have happened. */
function repeatStep(
  run: RunState,
  index: number,
  config: Node,
  node: NodeState,
  again: OpenCall,
  tools: ToolLookup,
): Step {
  if (!node.doubt || isSafeInDoubt(again, tools(again.tool))) {
    if (needsBaseline(run, index, config, node)) return checkStep(run, config, node, 'before', tools);
    const made = callStep(run, config, node, again.tool, again.input, again.key, tools);
    const step: CallStep = node.doubt ? { ...made, repeats: true } : made;
    return again.raised === true ? { ...step, class: again.class, ask: true } : step;
  }
  if (again.unaccepted === true) return checkStep(run, config, node, 'doubt', tools);
  return waitStep(run, config, node, {
    kind: 'question',
    text: `${nodeTitle(config)}: ${doubtText(again, node)}`,
    options: doubtOptions(again, node),
  });
}

function doubtOptions({ elsewhere }: OpenCall, node: NodeState): string[] {
  if (elsewhere === 'awaited') return ['done', 'fail'];
  const { files, wait } = DOUBT_ANSWERS;
  return lacksFiles(node) ? ['done', files, wait, 'repeat', 'fail'] : ['done', 'repeat', 'fail'];
}

/** A call that was ended in order is known to be unfinished; of any other nobody knows how it ended. */
function doubtText(open: OpenCall, node: NodeState): string {
  const hasKey = runsCommand(open.tool) && jsonField(open.input, 'key') !== null;
  return `${whatIsInDoubt(open, lacksFiles(node))}${hasKey ? ' When it is repeated, what it sends has the same idempotency key.' : ''}`;
}

function whatIsInDoubt({ tool, input, stopped, unseen, elsewhere }: OpenCall, isWithoutFiles: boolean): string {
  const act = `${tool}${quoteCommand(input)}`;
  if (elsewhere === 'awaited')
    return `${act} has happened on another machine. Put the files that it wrote there into the folder of the task here, then answer: done or fail.`;
  if (isWithoutFiles)
    return `${act} broke off, and how it ended is unknown (${unseen}). Did it happen? What it wrote there is not here. Check, then answer: repeat (it did not happen), done (it did; go on without its files), files (it did; make its files again here, without network), wait (it did; I will put its files here) or fail.`;
  if (unseen !== undefined)
    return `${act} broke off, and how it ended is unknown (${unseen}). Did it happen? Check, then answer: done, repeat or fail.`;
  return stopped === true
    ? `${act} was ended before it had finished, because the run was stopped; what it had done until then stays. Check, then answer: repeat (do it again), done (it is fine as it is) or fail.`
    : `${act} was in progress when work stopped, and how it ended is unknown. Did it happen? Check, then answer: done, repeat or fail.`;
}

const LONGEST_QUOTE = 200;

/** Of several commands of a step, a person has to know which one; of other tools the name says enough. */
function quoteCommand(input: Json): string {
  const { line, argv } = (typeof input === 'object' && !Array.isArray(input) ? input : null) ?? {};
  const text = (
    typeof line === 'string'
      ? line
      : Array.isArray(argv)
        ? argv.map((word) => (typeof word === 'string' ? word : '')).join(' ')
        : ''
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return '';
  return ` (${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text})`;
}

function waitStep(run: RunState, config: Node, node: NodeState, awaited: WaitFor): Step {
  return { kind: 'Wait', node: config.id, wait: callName(run, config, node, `w${node.waited}`), for: awaited };
}

/** Names derive from run, node, visit and attempt, so that a replay finds the same. */
function callName(run: RunState, config: Node, node: NodeState, last: string): string {
  return `${run.id}.${config.id}.${node.visit}.${last}`;
}

function keyOf(run: RunState, index: number, config: Node): string | null {
  if (config.idempotency_key === undefined) return null;
  const key = fillTemplate(config.idempotency_key, lookupFor(run, index));
  return typeof key === 'string' && key.length <= 500 ? key : hash('sha256', JSON.stringify(key));
}

export function classOf(
  tools: ToolLookup,
  tool: string,
  input: Json,
  author: Author,
  folders?: readonly OpenFolder[],
): SideEffectClass {
  return callTerms(tools(tool), input, author, folders).class;
}

function hasOpenCall(run: RunState): boolean {
  return [...run.active].some((index) => {
    const node = run.nodes[index];
    return (
      node !== undefined && (openCallsOf(node).length > 0 || node.check !== null || node.failure?.question != null)
    );
  });
}

/** The output of the one last node, or of all of them by name. */
function outputOf(run: RunState): Json {
  const ends = run.plan.graph.nodes.filter(
    (_, index) => (run.plan.behind[index] ?? []).length === 0 && run.nodes[index]?.status === 'done',
  );
  const output = (node: Node): Json => run.nodes[run.plan.index.get(node.id) ?? -1]?.output ?? null;
  return ends.length === 1 && ends[0] !== undefined
    ? output(ends[0])
    : Object.fromEntries(ends.slice(0, 100).map((node) => [node.id, output(node)]));
}
