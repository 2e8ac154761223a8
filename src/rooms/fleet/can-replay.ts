/**
 * Owns: whether this member can continue a run that another one started: all of it is there, and this member knows every event
 * and every tool of it, perhaps of another version of oka. During an upgrade newer members take over what older ones started, and not the other way
 * round.
 */
import type { RunHistory } from './servers/run-owner.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { type Event, eventData } from '../../core/schema/event.ts';
import type { ToolRegistry } from '../../core/schema/ports.ts';
import { upgradeLine } from '../../core/schema/upgrade.ts';

/** Null when it can; else why not. */
export function replayProblem(
  { events, isUnreadable }: Pick<RunHistory, 'events' | 'isUnreadable'>,
  tools: Pick<ToolRegistry, 'get'>,
): string | null {
  if (isUnreadable) return 'its owner wrote messages that this version of oka cannot read';
  for (const event of events as unknown as Event[])
    try {
      checkKnown(event, tools);
    } catch (error) {
      return messageOf(error);
    }
  return null;
}

/** Why nobody may go on from this history; null when it is whole. `epoch` is that of the last claim of this home. */
export function damageProblem({ damage, owner, epoch: last }: RunHistory, epoch: number): string | null {
  const what = damage ?? (last < epoch ? `it ends before epoch ${epoch}, which this home has claimed` : null);
  const home = damage === null || owner === null ? 'the home that owned it last' : owner.worker;
  return what === null ? null : `its history in the stream is damaged (${what}); at ${home}: oka fleet backfill`;
}

function checkKnown(event: Event, tools: Pick<ToolRegistry, 'get'>): void {
  if (!Object.hasOwn(eventData, event.type))
    throw new OkaError('newer-version', `this version of oka does not know the event ${event.type}`);
  const { type, data } = upgradeLine(event);
  eventData[type].parse(data);
  if (type === 'call.started' && tools.get(data.tool) === undefined)
    throw new OkaError('refused', `this member does not have the tool ${data.tool}`);
}
