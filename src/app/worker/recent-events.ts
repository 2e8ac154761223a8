/** Owns: reading the events of the last moments before a start, from the end of the ledger backwards. */
import { readEvents } from '../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import type { RecentTask } from '../../kit/inbox/recent-claims.ts';
import type { Event } from '../../core/schema/event.ts';

const FIRST_SPAN = 256;
/** More events than a minute has. */
const MOST = 65_536;

/** Events since this time, in order. */
export async function readEventsSince(ledgerFile: string, since: number): Promise<Event[]> {
  const last = lastSeqOf(ledgerFile);
  for (let span = FIRST_SPAN; ; span *= 4) {
    const from = Math.max(1, last - span + 1);
    const events = await Array.fromAsync(readEvents(ledgerFile, { from }));
    const isEnough = from === 1 || span >= MOST || Date.parse(events[0]?.at ?? '') < since;
    if (isEnough) return events.filter(({ at }) => Date.parse(at) >= since);
  }
}

/** The tasks that were taken from the inbox, according to these events. */
export function tasksReceivedIn(events: readonly Event[]): RecentTask[] {
  return events.flatMap(({ type, run, at, data }) =>
    type === 'task.received' && run !== null && data.by === 'inbox'
      ? [{ id: run, name: data.name, at: Date.parse(at), sha256: data.body.sha256 }]
      : [],
  );
}
