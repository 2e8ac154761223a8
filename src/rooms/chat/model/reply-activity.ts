/**
 * Owns: what the run of a reply is doing, out of its events. Pure.
 *
 * 1. A call that waits for its turn on the desk says behind whom (`desk.awaited`); it has begun when the state before it
 *    is recorded (`desk.kept`).
 */
import { agentOfRun } from '../../../core/schema/chat-names.ts';
import type { OpenReply } from '../../../core/schema/chat-answers.ts';
import type { Event, EventType } from '../../../core/schema/event.ts';
import type { WaitFor } from '../../../core/schema/wait.ts';

export const activityTypes = [
  'call.started',
  'call.ended',
  'wait.opened',
  'wait.closed',
  'desk.awaited',
  'desk.kept',
] as const satisfies readonly EventType[];

export type ActivityEvent = Extract<Event, { type: (typeof activityTypes)[number] }>;

export const isActivityEvent = (event: Event): event is ActivityEvent =>
  (activityTypes as readonly string[]).includes(event.type);

/** The calls and waits of a run that are open, by their names. */
export type ReplyActivity = {
  calls: Readonly<Record<string, { tool: string; behind?: string | null }>>;
  waits: Readonly<Record<string, Awaited>>;
};

/** A person, the budget of the next day, or a model that cannot be asked now, and why. */
type Awaited = 'person' | 'budget' | { model: string };

export const NO_ACTIVITY: ReplyActivity = { calls: {}, waits: {} };

/** A question to its model is no tool that people see. */
export function activityAfter(activity: ReplyActivity, event: ActivityEvent): ReplyActivity {
  const { calls, waits } = activity;
  switch (event.type) {
    case 'call.started': {
      const { call, tool } = event.data;
      return tool.startsWith('model.') ? activity : { calls: { ...calls, [call]: { tool } }, waits };
    }
    case 'desk.awaited':
    case 'desk.kept': {
      const { call } = event.data;
      const known = calls[call];
      if (known === undefined) return activity;
      const turn = event.type === 'desk.awaited' ? { behind: event.data.behind } : {};
      return { calls: { ...calls, [call]: { tool: known.tool, ...turn } }, waits };
    }
    case 'call.ended':
      return { calls: without(calls, event.data.call), waits };
    case 'wait.opened': {
      const awaited = awaitedIn(event.data.for);
      return awaited === null ? activity : { calls, waits: { ...waits, [event.data.wait]: awaited } };
    }
    case 'wait.closed':
      return { calls, waits: without(waits, event.data.wait) };
  }
}

/** What a reply with a run is doing, in the words that people see. */
export function stateOfActivity({
  calls,
  waits,
}: ReplyActivity): Pick<OpenReply, 'state' | 'tool' | 'waits_for' | 'why'> {
  const awaited = Object.values(waits);
  if (awaited.includes('person')) return { state: 'waiting for you' };
  if (awaited.includes('budget')) return { state: 'waiting for the budget' };
  const down = awaited.find((each) => typeof each === 'object');
  if (down !== undefined) return { state: 'waiting for its model', why: down.model };
  const call = Object.values(calls).at(-1);
  if (call === undefined) return { state: 'thinking' };
  const { tool, behind } = call;
  if (behind == null) return { state: 'using a tool', tool };
  return { state: 'waiting for another', tool, waits_for: agentOfRun(behind) ?? behind };
}

function awaitedIn(awaited: WaitFor): Awaited | null {
  if (awaited.kind === 'timer' && awaited.day_budget !== undefined) return 'budget';
  if (awaited.kind === 'timer') return awaited.why === undefined ? null : { model: awaited.why };
  return awaited.kind === 'child' || awaited.kind === 'turn' ? null : 'person';
}

function without<T>(entries: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const { [name]: _gone, ...rest } = entries;
  return rest;
}
