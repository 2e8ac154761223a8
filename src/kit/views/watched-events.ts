/** Owns: which events scripts are told of (`oka watch`), and the line about each. Pure. */
import { isForPeople } from './waiting-query.ts';
import { describeEvent, describeWait } from './event-sentence.ts';
import type { Event, Line } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';

/** `cursor` is where to go on: `--since` with it prints what came after. */
export type WatchedLine = { cursor: number; at: string; event: string; run: string | null; text: string } & Record<
  string,
  Json
>;

type DataOf<T extends Event['type']> = Extract<Event, { type: T }>['data'];

/** What a line has besides; null where an event of this type is of no interest. Documented in docs/OPERATE.md. */
const WATCHED: { readonly [T in Event['type']]?: (data: DataOf<T>) => Record<string, Json> | null } = {
  'task.received': ({ name }) => ({ name }),
  'task.rejected': ({ name, reason }) => ({ name, reason }),
  'run.started': ({ title, parent, depth }) => (depth > 0 ? null : { title, parent }),
  'run.paused': ({ reason }) => ({ reason }),
  'run.resumed': ({ reason }) => ({ reason }),
  'run.ended': ({ status, reason }) => ({ status, reason }),
  'wait.opened': (data) =>
    isForPeople(data.for) ? { wait: data.wait, for: data.for.kind, question: describeWait(data.for) } : null,
  'wait.closed': ({ wait, answer: { verdict } }) => (BY_PEOPLE.has(verdict) ? { wait, verdict } : null),
  'worker.started': ({ version, pid }) => ({ version, pid }),
  'worker.stopped': ({ reason }) => ({ reason }),
  'ledger.disk_full': () => ({}),
  'ledger.disk_freed': () => ({}),
};

/** How waits for people end; those for timers and other runs end otherwise. */
const BY_PEOPLE: ReadonlySet<string> = new Set(['approved', 'denied', 'answered', 'expired']);

/** Null when nobody is told of it. */
export function watchedLine(event: Line): WatchedLine | null {
  const pick = WATCHED[event.type] as ((data: Event['data']) => Record<string, Json> | null) | undefined;
  const picked = pick?.(event.data) ?? null;
  if (picked === null) return null;
  const { seq: cursor, at, type, run } = event;
  return { cursor, at, event: type, run, text: describeEvent(event), ...picked };
}
