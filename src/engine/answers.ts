/** What becomes of a node when what it waited for has an answer. A part of the fold: it changes the state it is given. */
import type { Json } from '../schema/json.ts';
import type { WaitAnswer, WaitFor } from '../schema/wait.ts';
import { learned } from './agent.ts';
import type { NodeState, RunState } from './run-state.ts';
import { failNode, settle } from './ways.ts';

/** What the answer to a wait means for the node that waited. */
export function answered(run: RunState, index: number, node: NodeState, awaited: WaitFor, answer: WaitAnswer): void {
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
  } else if (awaited.kind === 'timer' && run.configs[index]?.kind === 'agent') {
    node.status = 'running';
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
