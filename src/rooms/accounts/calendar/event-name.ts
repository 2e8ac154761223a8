/** Owns: how an event of an account is named between calls: `account/occurrence/calendar/object`. Pure. */
import { failure } from '../../../kit/define-tool.ts';

/** `occurrence` is when it would begin by its series (RECURRENCE-ID), or `-` for all of an event; the rest is as in its address. */
type EventName = { account: string; occurrence: string; calendar: string; object: string };

export const eventName = ({ account, occurrence, calendar, object }: EventName): string =>
  `${account}/${occurrence}/${calendar}/${object}`;

export function parseEventName(name: string): EventName {
  const [, account, occurrence, calendar, object] =
    /^([a-z0-9_-]+)\/(-|\d{8}(?:T\d{6}Z)?)\/([^/?#\\\s]+)\/([^/?#\\\s]+)$/.exec(name) ?? [];
  if (account === undefined || occurrence === undefined || calendar === undefined || object === undefined)
    throw failure(`"${name.slice(0, 200)}" names no event`, 'Find it first: calendar.list.');
  return { account, occurrence, calendar, object };
}
