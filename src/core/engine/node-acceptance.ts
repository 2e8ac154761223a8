/**
 * Owns: how the acceptance of a node is checked: when a check is due, what its call is, and what its outcome means.
 * Does not own: what a check is and whether it passes (the tool `step.check`).
 *
 * A1 A node with acceptance that has ended well is not done before its checks have passed. One whose checks do
 *    not pass has failed, with retries and a fallback as for any failure.
 * A2 A call in doubt counts as done without asking only if its node's acceptance was seen to fail right before
 *    exactly this call, and passes now. A check that passed before, or whose result is unknown, proves nothing.
 * A3 A check is a call through the chain, recorded like every call, as an event of no node: it is neither an attempt
 *    of the step nor its output.
 * A4 Runs of earlier versions, whose acceptance nobody checked, mean what they meant then.
 */
import { type CheckMoment, STEP_CHECK } from '../schema/acceptance.ts';
import type { Event } from '../schema/event.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { recordOutcome } from './agent.ts';
import { retriesOf } from './call-bounds.ts';
import { type Ending, type NodeState, nodeNamed, type RunState } from './run-state.ts';

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

export function hasAcceptance({ nodes }: Pick<Graph, 'nodes'>): boolean {
  return nodes.some((node) => node.acceptance.length > 0 || (node.kind === 'map' && node.each.acceptance.length > 0));
}

/** Whether a node is done only if its checks pass (A4). */
export function isAccepting(run: RunState, index: number | undefined): boolean {
  return run.checksAcceptance && (run.configs[index ?? -1]?.acceptance.length ?? 0) > 0;
}

/** Whether the acceptance is to be checked before the next call of the node, which could end in doubt (A2). */
export function needsBaseline(run: RunState, index: number, config: Node, node: NodeState): boolean {
  const mayBeInDoubt = config.kind === 'tool' && config.tool !== 'run.start' && node.approved === null;
  return mayBeInDoubt && node.baseline === null && isAccepting(run, index);
}

/** What the call of a check is given. */
export function checkInput({ id, acceptance }: Node, when: CheckMoment): Json {
  return { node: id, when, checks: acceptance };
}

/** The name of the next check of a node; counted apart from its attempts, which approvals are bound to. */
export function checkName(run: RunState, { id }: Node, { visit, checks }: NodeState): string {
  return `${run.id}.${id}.${visit}.c${checks + 1}`;
}

/** Why a step whose checks do not pass has failed. */
export const refusalOf = (reason: string): string => `its acceptance is not met: ${reason}`;

/** True when the event started a check of a node; then it was folded. */
export function foldCheckStarted(run: RunState, { data }: Of<'call.started'>): boolean {
  if (data.node !== null || data.tool !== STEP_CHECK) return false;
  const { node: name, when } = data.input as { node: string; when: CheckMoment };
  const index = nodeNamed(run, name) ?? -1;
  const [config, node] = [run.configs[index], run.nodes[index]];
  if (config === undefined || node === undefined || data.call !== checkName(run, config, node)) return false;
  node.check = { call: data.call, when };
  node.checks += 1;
  node.approved = null;
  if (when === 'after')
    node.ending ??= { output: outputOfItems(run, node), reason: '', isRepeatable: false, refusal: null };
  run.ready.delete(index);
  run.active.add(index);
  return true;
}

/** The outcome of a check. One that was stopped is made again. */
export function foldCheckEnded(run: RunState, { data }: Of<'call.ended'>): void {
  if (data.node !== null) return;
  const index = nodeNamed(run, /\.([^.]+)\.\d+\.c\d+$/.exec(data.call)?.[1] ?? null);
  const node = run.nodes[index ?? -1];
  if (index === undefined || node?.check?.call !== data.call) return;
  const { when } = node.check;
  node.check = null;
  run.ready.add(index);
  if (data.status === 'waiting' && data.for !== undefined) node.awaiting = data.for;
  else if (data.status !== 'cancelled') foldFinding(run, index, node, when, findingIn(data));
}

type Found = { holds: boolean | null; reason: string };

function findingIn({ status, output, error }: Of<'call.ended'>['data']): Found {
  if (status !== 'ok') return { holds: null, reason: `it could not be checked: ${error ?? status}` };
  const { holds, reason } = (output ?? {}) as { holds?: Json; reason?: Json };
  return { holds: typeof holds === 'boolean' ? holds : null, reason: typeof reason === 'string' ? reason : '' };
}

function foldFinding(run: RunState, index: number, node: NodeState, when: CheckMoment, found: Found): void {
  switch (when) {
    case 'before':
      node.baseline = found.holds === false ? 'fails' : 'unknown';
      break;
    case 'after':
      if (node.ending === null) break;
      if (found.holds === true) node.ending.refusal = '';
      else if (mayRepeat(run, index, node, node.ending)) repeat(run, node, found.reason);
      else node.ending.refusal = refusalOf(found.reason);
      break;
    case 'doubt':
      if (found.holds === true) settleDoubt(node);
      else if (node.again !== null) delete node.again.unaccepted;
      break;
  }
}

/** A2. What the call gave back is lost. */
function settleDoubt(node: NodeState): void {
  const reason = 'its acceptance is met, which it was not before the call';
  node.ending = { output: null, reason, isRepeatable: false, refusal: '' };
  node.again = null;
  node.doubt = false;
  node.status = 'running';
}

/** As for a call that failed: as often as the node and the budget allow. */
function mayRepeat(run: RunState, index: number, { redone }: NodeState, { isRepeatable }: Ending): boolean {
  const left = (run.budgets.retries ?? Number.POSITIVE_INFINITY) - run.spent.retries;
  return isRepeatable && redone < retriesOf(run.configs[index]) && left >= 1;
}

/** A call is made again; an agent continues and gets the reason. */
function repeat(run: RunState, node: NodeState, reason: string): void {
  run.spent.retries += 1;
  node.redone += 1;
  node.ending = null;
  if (node.agent === null) return;
  recordOutcome(node.agent, 'failed', null, refusalOf(reason));
  node.agent.problem = refusalOf(reason);
}

const outputOfItems = (run: RunState, { items }: NodeState): Json =>
  (items ?? []).map((item) => run.nodes[item]?.output ?? null);
