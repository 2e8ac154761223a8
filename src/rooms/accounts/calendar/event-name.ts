/** Owns: how an event of an account is named between calls: `account/occurrence/calendar/object`. Pure. */

/** `occurrence` is when it would begin by its series (RECURRENCE-ID), or `-` for all of an event; the rest is as in its address. */
type EventName = { account: string; occurrence: string; calendar: string; object: string };

export const eventName = ({ account, occurrence, calendar, object }: EventName): string =>
  `${account}/${occurrence}/${calendar}/${object}`;
