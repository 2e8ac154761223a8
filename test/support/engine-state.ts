/** Run states made from events, for tests of what is pure. */
import { applyEvent, runFromStart } from '../../src/core/engine/fold-run.ts';
import { planOf } from '../../src/core/engine/graph-plan.ts';
import type { RunState } from '../../src/core/engine/run-state.ts';
import { defaultStates } from '../../src/core/engine/agent-states.ts';
import { checkEvent, type Event, type NewEvent } from '../../src/core/schema/event.ts';
import type { Graph } from '../../src/core/schema/graph.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type { Budgets } from '../../src/core/schema/run.ts';

const ZERO = 'a'.repeat(64);

export function planFor(graph: Graph) {
  return planOf(graph, ZERO, defaultStates);
}

/** Events of the run `r`, one second apart. */
export function eventsOf(
  graph: Graph,
  events: readonly Omit<NewEvent, 'run'>[],
  about: { input?: Json; budgets?: Budgets } = {},
): Event[] {
  const start = {
    type: 'run.started',
    data: { title: graph.id, graph: { id: graph.id, sha256: ZERO }, ...about },
  } as const;
  return [start, ...events].map((event, at) => {
    const checked = checkEvent({ ...event, run: 'r' } as NewEvent);
    return { ...checked, seq: at + 1, at: new Date(at * 1000).toISOString(), pen: 'run' } as Event;
  });
}

export function stateAfter(
  graph: Graph,
  events: readonly Omit<NewEvent, 'run'>[] = [],
  about: { input?: Json; budgets?: Budgets } = {},
): RunState {
  const [first, ...rest] = eventsOf(graph, events, about);
  const run = first === undefined ? null : runFromStart(planFor(graph), first);
  if (run === null) throw new Error('a run begins with run.started');
  return rest.reduce(applyEvent, run);
}

type Bare = Omit<NewEvent, 'run'>;

export const startedEvent = (node: string, rest: object = {}): Bare => ({
  type: 'call.started',
  data: { call: `r.${node}.0.1`, node, attempt: 1, tool: 'look', class: 'read', input: null, ...rest },
});
export const endedEvent = (node: string, status: string, rest: object = {}): Bare =>
  ({ type: 'call.ended', data: { call: `r.${node}.0.1`, node, status, ...rest } }) as Bare;
export const openedEvent = (node: string, awaited: object): Bare =>
  ({ type: 'wait.opened', data: { wait: `r.${node}.0.w0`, node, for: awaited } }) as Bare;
export const closedEvent = (node: string, answer: object): Bare =>
  ({ type: 'wait.closed', data: { wait: `r.${node}.0.w0`, node, answer } }) as Bare;
export const resumed: Bare = { type: 'run.resumed', data: { reason: 'go on' } };
