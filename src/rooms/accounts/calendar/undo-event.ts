/**
 * Owns: undoing one change of a calendar: a new event goes, and another one is again what it was. It is
 * done only where the server still has what oka has written.
 */
import type { Undoing } from '../../../core/schema/tool.ts';
import { oneLine } from '../mail/mail-lines.ts';
import { type CalendarWriting, type Wanted, withPlace } from './change-event.ts';
import { editInThread } from './expand-in-thread.ts';

/** What the server calls a version that was put back, by what it was called before: for the change before this one. */
export type PutBack = Map<string, { version: string; etag: string | null }>;

export function undoChange(
  wanted: Wanted,
  mark: string,
  version: string | null,
  ports: CalendarWriting,
  { putBack, isDry }: { putBack: PutBack; isDry: boolean },
): Promise<Undoing> {
  const signal = AbortSignal.timeout(60_000);
  return withPlace(wanted, mark, ports, signal, async ({ open, calendar, object }) => {
    const there = await open.read(calendar, object);
    const etag = there?.etag ?? null;
    const former = wanted.event === null ? null : ports.former.find(mark);
    const title = await titleOf(former ?? there?.ics ?? '', wanted, signal);
    const what = `the event ${title === '' ? object : `"${title}"`} in ${open.account}/${oneLine(calendar.name, 200)}`;
    const left = (why: string): Undoing => ({ what, how: 'left', why });
    const done: Undoing = { what, how: former === null ? 'removed' : 'restored' };
    if (wanted.event !== null && former === null) return left('what it was is not stored any more');
    const isThere = linesOf(there?.ics ?? null) === linesOf(former);
    const key = JSON.stringify([wanted.account, calendar.url, object]);
    const before = putBack.get(key);
    const isSame = etag === version && (version !== null || wanted.edit.kind === 'remove');
    const isOurs = isSame || (before?.version === version && before?.etag === etag);
    if (!isThere && !isOurs) return left(there === null ? 'it was removed since' : 'it was changed since');
    let now = etag;
    if (!isThere && !isDry) {
      const written =
        former === null
          ? await open.remove(calendar, object, etag ?? '')
          : await open.write(calendar, object, former, etag);
      if (written === 'written since') return left('it was changed at the same time');
      now = written.etag ?? (await open.read(calendar, object))?.etag ?? null;
    }
    if (wanted.event !== null) putBack.set(key, { version: wanted.event.version, etag: now });
    return done;
  });
}

/** Servers put lines into another order, and break them elsewhere. */
const linesOf = (ics: string | null): string | null =>
  ics === null
    ? null
    : ics
        .replaceAll(/\r?\n[ \t]/g, '')
        .split(/\r?\n/)
        .toSorted()
        .join('\n');

async function titleOf(ics: string, { event, zone }: Wanted, signal: AbortSignal): Promise<string> {
  const task = {
    kind: 'remove',
    ics,
    occurrence: event?.occurrence ?? null,
    mark: 'oka',
    now: 0,
    zone,
    me: '',
  } as const;
  const edited = await editInThread(task, signal);
  return edited.problem === null ? oneLine(edited.before?.title ?? '', 100) : '';
}
