/**
 * Owns: noticing new events of both ledgers, once for all readers. It looks only while somebody follows.
 */
import { statSync } from 'node:fs';
import { readEvents } from '../../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import type { Line, Pen } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';

/** What a page is told about an event: enough to know whether it concerns the page. */
export type Notice = { pen: Pen; seq: number; at: string; type: string; run: string | null };

/** The last event of each ledger that a reader knows. */
export type Position = Record<Pen, number>;

export type LedgerTail = {
  position: () => Position;
  /** Calls back with what is new, in order, until the returned function is called. */
  follow: (onNotices: (notices: readonly Notice[]) => void) => () => void;
  close: () => void;
};

/** The screen shows an event 250 ms after it is durable; a quarter of that is spent here. */
const POLL_MS = 60;
const PENS: readonly Pen[] = ['run', 'maintenance'];
const MOST_AT_ONCE = 500;

export function openLedgerTail({ ledgers }: Pick<Home, 'ledgers'>): LedgerTail {
  const followers = new Set<(notices: readonly Notice[]) => void>();
  const known = positionNow(ledgers);
  const sizes = new Map<Pen, string>();
  let timer: NodeJS.Timeout | null = null;

  const poll = async (): Promise<void> => {
    for (const pen of PENS) {
      const mark = markOf(ledgers[pen]);
      if (mark === sizes.get(pen)) continue;
      sizes.set(pen, mark);
      for await (const notices of newNotices(ledgers[pen], pen, known[pen])) {
        known[pen] = notices.at(-1)?.seq ?? known[pen];
        for (const follower of followers) follower(notices);
      }
    }
  };
  const next = (): void => {
    timer =
      followers.size === 0
        ? null
        : setTimeout(
            () =>
              void poll()
                .catch(() => undefined) // read again at the next poll
                .then(next),
            POLL_MS,
          );
  };
  return {
    position: () => (followers.size === 0 ? positionNow(ledgers) : { ...known }),
    follow: (onNotices) => {
      if (followers.size === 0) Object.assign(known, positionNow(ledgers));
      followers.add(onNotices);
      if (timer === null) next();
      return () => void followers.delete(onNotices);
    },
    close: () => {
      followers.clear();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Events behind a position, in batches. */
export async function* newNotices(file: string, pen: Pen, seq: number): AsyncGenerator<readonly Notice[]> {
  let notices: Notice[] = [];
  for await (const line of readEvents(file, { from: seq + 1 })) {
    notices.push(noticeOf(line, pen));
    if (notices.length < MOST_AT_ONCE) continue;
    yield notices;
    notices = [];
  }
  if (notices.length > 0) yield notices;
}

const noticeOf = ({ seq, at, type, run }: Line, pen: Pen): Notice => ({ pen, seq, at, type, run });

function positionNow(ledgers: Home['ledgers']): Position {
  return { run: lastSeqOf(ledgers.run), maintenance: lastSeqOf(ledgers.maintenance) };
}

/** Changes whenever the file does, also when archiving replaces it. */
function markOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.size}`;
}
