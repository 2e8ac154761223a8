/**
 * Owns: what an event says about its effect on nodes, for those who only read events and do not know the graph:
 * what an answer or a decision makes of its node, and which nodes an edge back has started over.
 */
import type { NewEvent } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import { isAccepting } from './node-acceptance.ts';
import { MOST_REJECTIONS } from './agent.ts';
import { statusAfterAnswer } from './wait-answers.ts';
import { nodeNamed, nodeStateOf, type RunState } from './run-state.ts';
import { statusAfterFailure } from './node-failure.ts';

/** The event as it is written down; `run` is the state before it. */
export function withEffects(run: RunState, event: NewEvent): NewEvent {
  if (event.type === 'wait.closed')
    return addEffects(event, { becomes: statusAfterAnswer(run, event.data.wait, event.data.answer) });
  if (event.type === 'decision.made') {
    const restarts = restartsOf(run);
    return addEffects(event, { settles: settledByDecision(run, event.data), restarts });
  }
  if (event.type === 'decision.rejected') return addEffects(event, { settles: settledByRejection(run, event.data) });
  const isAct = event.type === 'call.started' || event.type === 'wait.opened' || event.type === 'node.settled';
  return isAct && run.restarted.length > 0 ? addEffects(event, { restarts: restartsOf(run) }) : event;
}

function addEffects(event: NewEvent, effects: Readonly<Record<string, Json | undefined>>): NewEvent {
  const known = Object.entries(effects).filter(([, effect]) => effect !== undefined);
  return known.length === 0 ? event : ({ ...event, data: { ...event.data, ...Object.fromEntries(known) } } as NewEvent);
}

type Data<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>['data'];

function settledByDecision(
  run: RunState,
  { node: name, decision }: Data<'decision.made'>,
): 'done' | 'failed' | undefined {
  if (nodeStateOf(run, name) === undefined) return undefined;
  if (decision.kind === 'Finish') return isAccepting(run, nodeNamed(run, name)) ? undefined : 'done';
  const failed = decision.kind === 'Fail' || (decision.kind === 'Transition' && decision.to === 'failed');
  return failed ? failureStatus(run, name) : undefined;
}

function settledByRejection(run: RunState, { node: name }: Data<'decision.rejected'>): 'done' | 'failed' | undefined {
  const agent = nodeStateOf(run, name)?.agent ?? null;
  return (agent?.rejections ?? 0) + 1 >= MOST_REJECTIONS ? failureStatus(run, name) : undefined;
}

function failureStatus(run: RunState, name: string): 'done' | 'failed' {
  return statusAfterFailure(run.configs[nodeNamed(run, name) ?? -1]);
}

/** Steps that were started over since the last act of the run. */
function restartsOf({ restarted, plan }: RunState): string[] | undefined {
  if (restarted.length === 0) return undefined;
  return restarted.slice(0, MOST_NAMED).flatMap((index) => plan.graph.nodes[index]?.id ?? []);
}

const MOST_NAMED = 1000;
