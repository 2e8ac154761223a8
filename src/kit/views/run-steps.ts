/** The steps of a run with their times, in one pass over its events. Pure. */
import { foldGoal } from '../../core/ledger/goal.ts';
import type { Event } from '../../core/schema/event.ts';
import type { NodeStatus } from '../../core/schema/run.ts';

type TimedStep = {
  run: string;
  id: string;
  title: string;
  needs: string[];
  status: NodeStatus;
  /** When work on it began and ended; null before that. */
  started: string | null;
  ended: string | null;
  calls: number;
  /** Why it failed, was skipped or was tried again. */
  reason: string;
};

/** The events of one run, from its first on. Items of a map count for the map. */
export function foldSteps(events: readonly Event[]): TimedStep[] {
  const goal = foldGoal(events);
  if (goal === null) return [];
  const isOver = goal.status === 'done' || goal.status === 'failed' || goal.status === 'cancelled';
  const steps = new Map<string, TimedStep>();
  for (const { id, title, needs, status } of goal.nodes) {
    const shown = isOver && (status === 'pending' || status === 'waiting') ? 'skipped' : status;
    steps.set(id, { run: goal.run, id, title, needs, status: shown, started: null, ended: null, calls: 0, reason: '' });
  }
  for (const event of events) {
    const step = 'node' in event.data ? stepOf(steps, event.data.node) : undefined;
    if (step !== undefined) applyToStep(step, event);
  }
  for (const step of steps.values()) if (step.status === 'running' || step.status === 'waiting') step.ended = null;
  return [...steps.values()];
}

function stepOf(steps: ReadonlyMap<string, TimedStep>, node: unknown): TimedStep | undefined {
  if (typeof node !== 'string') return undefined;
  return steps.get(node) ?? steps.get(node.replace(/__\d+$/, ''));
}

function applyToStep(step: TimedStep, event: Event): void {
  step.started ??= event.at;
  step.ended = event.at;
  if (event.type === 'call.started') step.calls += 1;
  if (event.type === 'call.ended') step.reason = event.data.error ?? '';
  if (event.type === 'node.settled' || event.type === 'error.handled') step.reason = event.data.reason;
  if (event.type === 'decision.rejected') step.reason = event.data.reason;
  if (event.type === 'decision.made')
    step.reason = event.data.decision.kind === 'Fail' ? event.data.decision.reason : '';
}
