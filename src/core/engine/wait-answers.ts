/** What happens to a node when what it waited for has an answer. A part of the fold: it changes the state it is given. */
import type { Json } from '../schema/json.ts';
import { chosenOption, isForPerson, type WaitAnswer, type WaitFor } from '../schema/wait.ts';
import { isAccepting, refusalOf } from './node-acceptance.ts';
import { recordAdvice, recordOutcome } from './agent.ts';
import { type NodeState, nodeNamed, type OpenCall, type RunState } from './run-state.ts';
import { statusAfterFailure } from './node-failure.ts';
import { failNode, finishNode, willStartOver } from './routing.ts';

/** What the answer to a wait leads to: a status of the node, and what has to be done for it. */
type AnswerEffect =
  | { kind: 'repeat'; approved: string | null; isOffline?: true }
  | { kind: 'await files' }
  | { kind: 'think' }
  | { kind: 'check'; approved: string | null }
  | { kind: 'continue'; status: 'ok' | 'denied'; output: Json; error: string | null }
  | { kind: 'advise'; question: string; text: string }
  | { kind: 'settle'; output: Json; reason: string }
  | { kind: 'fail'; reason: string };

/** Applies the answer to a wait to the node that waited. */
export function applyAnswer(run: RunState, index: number, node: NodeState, awaited: WaitFor, answer: WaitAnswer): void {
  const effect = effectOf(run, index, node, awaited, answer);
  node.doubt = false;
  switch (effect.kind) {
    case 'repeat':
      if (effect.isOffline === true && node.again !== null) node.again = withoutNetwork(node.again);
      node.approved = effect.approved;
      node.status = 'running';
      run.ready.add(index);
      break;
    case 'await files':
      node.doubt = true;
      if (node.again !== null) node.again = { ...node.again, elsewhere: 'awaited' };
      node.status = 'running';
      run.ready.add(index);
      break;
    case 'check':
      node.approved = effect.approved;
      node.status = 'running';
      run.active.add(index);
      run.ready.add(index);
      break;
    case 'think':
      node.status = 'running';
      run.ready.add(index);
      break;
    case 'continue':
      node.again = null;
      node.status = 'running';
      if (node.agent !== null) recordOutcome(node.agent, effect.status, effect.output, effect.error);
      run.active.add(index);
      run.ready.add(index);
      break;
    case 'advise':
      node.again = null;
      node.status = 'running';
      if (node.agent !== null) recordAdvice(node.agent, effect.question, effect.text);
      run.active.add(index);
      run.ready.add(index);
      break;
    case 'settle':
      finishNode(run, index, effect.output, effect.reason, false);
      break;
    case 'fail':
      node.again = null;
      failNode(run, index, effect.reason);
      break;
  }
}

/** The status that the answer to an open wait gives the node that waits; undefined when no node does. */
export function statusAfterAnswer(
  run: RunState,
  wait: string,
  answer: WaitAnswer,
): 'pending' | 'running' | 'done' | 'failed' | undefined {
  const open = run.waits.get(wait);
  const index = nodeNamed(run, open?.node ?? null);
  const node = run.nodes[index ?? -1];
  if (open === undefined || index === undefined || node?.wait !== wait) return undefined;
  if (willStartOver(run, index)) return 'pending';
  const { kind } = effectOf(run, index, node, open.for, answer);
  if (kind === 'fail') return statusAfterFailure(run.configs[index]);
  return kind === 'settle' && !isAccepting(run, index) ? 'done' : 'running';
}

function effectOf(run: RunState, index: number, node: NodeState, awaited: WaitFor, answer: WaitAnswer): AnswerEffect {
  const { kind } = awaited;
  const { verdict, text } = answer;
  const refused =
    kind === 'approval'
      ? verdict !== 'approved'
      : verdict === 'denied' || verdict === 'expired' || verdict === 'cancelled';
  if (node.ending !== null && refused)
    return { kind: 'fail', reason: refusalOf(`it could not be checked: ${kind} ${verdict}`) };
  if (node.ending !== null) return { kind: 'check', approved: kind === 'approval' ? awaited.binding : null };
  if (node.doubt) return doubtEffect(node, refused ? 'fail' : (text ?? ''));
  if (refused && node.agent === null)
    return { kind: 'fail', reason: `${kind} ${verdict}${text === undefined ? '' : `: ${text}`}` };
  if (refused) return { kind: 'continue', status: 'denied', output: null, error: `${verdict}: ${text ?? ''}` };
  if (node.again !== null && kind === 'requirement' && verdict === 'answered' && isAdvice(text))
    return adviceEffect(run, node, awaited.name, text);
  if (node.again !== null && kind === 'question' && awaited.repeat === true) return { kind: 'repeat', approved: null };
  if (node.again !== null && (kind === 'approval' || kind === 'requirement' || kind === 'timer'))
    return { kind: 'repeat', approved: kind === 'approval' ? awaited.binding : null };
  if (kind === 'timer' && (run.configs[index]?.kind === 'agent' || node.failure !== null)) return { kind: 'think' };
  if (kind === 'question' && awaited.branch === true) return branchEffect(awaited.options, text ?? '');
  const output = answer.output ?? text ?? null;
  return node.agent === null
    ? { kind: 'settle', output, reason: '' }
    : { kind: 'continue', status: 'ok', output, error: null };
}

/** An answer that names none of the options leads nowhere, so the node has failed. */
function branchEffect(options: readonly string[] | undefined, text: string): AnswerEffect {
  if (options === undefined) return { kind: 'settle', output: { branch: null, answer: text }, reason: '' };
  const branch = chosenOption(options, text);
  if (branch === null)
    return {
      kind: 'fail',
      reason: `the answer ${JSON.stringify(text.slice(0, 200))} is none of ${options.join(', ')}`,
    };
  return { kind: 'settle', output: { branch, answer: text }, reason: '' };
}

/** An answer that only reports that the thing is there now lets the call be repeated; any other says what to do instead. */
function isAdvice(text: string | undefined): text is string {
  return (
    text !== undefined &&
    !/^\s*(?:|done|installed|ok(?:ay)?|yes|ready|repeat|retry|again|try again)\s*[.!]?\s*$/i.test(text)
  );
}

/** A worker reads the advice; a model's step fails with it, so that it is planned again; a person's step is repeated. */
function adviceEffect(run: RunState, node: NodeState, name: string, text: string): AnswerEffect {
  if (node.agent !== null) return { kind: 'advise', question: `${name} is missing. What now?`, text };
  if (run.plan.graph.author === 'operator') return { kind: 'repeat', approved: null };
  return { kind: 'fail', reason: `${name} is missing. A person answered: ${text}` };
}

/** It happened, and its files are made again here, or somebody brings them. */
export const DOUBT_ANSWERS = { files: 'files', wait: 'wait' } as const;

/** What a step's command in doubt has written stayed on another machine. An agent looks itself for what is there. */
export const lacksFiles = ({ agent, again }: NodeState): boolean =>
  agent === null && again?.elsewhere === 'written' && again.tool === 'shell';

function withoutNetwork(call: OpenCall): OpenCall {
  const { input } = call;
  const isObject = input !== null && typeof input === 'object' && !Array.isArray(input);
  return isObject ? { ...call, input: { ...input, net: false, offline: true } } : call;
}

/** Somebody checked whether a call in doubt had happened. */
function doubtEffect(node: NodeState, answer: string): AnswerEffect {
  if (answer === 'repeat') return { kind: 'repeat', approved: node.approved };
  const isWithoutFiles = lacksFiles(node);
  if (isWithoutFiles && answer === DOUBT_ANSWERS.files) return { kind: 'repeat', approved: null, isOffline: true };
  if (isWithoutFiles && answer === DOUBT_ANSWERS.wait) return { kind: 'await files' };
  if (answer !== 'done') return { kind: 'fail', reason: 'a person ended a call in doubt' };
  return node.agent === null
    ? { kind: 'settle', output: null, reason: 'a person saw that it had happened' }
    : { kind: 'continue', status: 'ok', output: null, error: null };
}

/** Whether only a person's answer makes a run go on: whoever resumes it changes nothing. */
export const isForPeople = ({ status, waits }: RunState): boolean =>
  status === 'blocked' && waits.size > 0 && [...waits.values()].every(({ for: awaited }) => isForPerson(awaited));
