/**
 * Owns: GET /api/v1/events: what happens, as server-sent events, one stream for each browser.
 *
 * 1. `id` names a position in both ledgers; a reader that comes back with it misses nothing and gets nothing twice. One
 *    that was away for too long is told to start over (`reset`).
 * 2. A reader that does not keep pace is dropped; it comes back by itself. Nobody else waits for it.
 * 3. Words of a model and output of commands (`live`) are for display only; they have no position.
 */
import type { Context, Hono } from 'hono';
import { followLive } from '../../socket/follow-live.ts';
import type { Pen } from '../../../core/schema/event.ts';
import type { Home } from '../../../core/schema/home.ts';
import { problem } from '../api/problem.ts';
import { type LedgerTail, newNotices, type Notice, type Position } from './ledger-tail.ts';

const MOST_READERS = 50;
const MOST_BEHIND = 5000;
const MOST_BUFFERED = 1_000_000;
const HEARTBEAT_MS = 15_000;

export function addEventStream(app: Hono, home: Home, tail: LedgerTail, signal: AbortSignal): void {
  let readers = 0;
  app.get('/api/v1/events', async (context) => {
    if (readers >= MOST_READERS)
      return problem(context, 503, 'refused', 'Too many pages follow what happens.', 'Close some of them.');
    readers += 1;
    const over = AbortSignal.any([signal, context.req.raw.signal]);
    const stream = openStream(over, () => (readers -= 1));
    void feed(stream, context, { home, tail, over }).catch(() => stream.end()); // the browser connects again
    return new Response(stream.body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    });
  });
}

type Stream = ReturnType<typeof openStream>;

async function feed(
  stream: Stream,
  { req }: Context,
  { home, tail, over }: { home: Home; tail: LedgerTail; over: AbortSignal },
): Promise<void> {
  const wanted = parsePosition(req.header('last-event-id') ?? new URL(req.url).searchParams.get('after') ?? '');
  const at = tail.position();
  const known = wanted === null || isTooOld(wanted, at) ? at : wanted;
  stream.write(wanted !== null && known === at ? 'reset' : 'ready', idOf(known), { position: known });
  const send = (notices: readonly Notice[]): void => {
    const fresh = notices.filter(({ pen, seq }) => seq > known[pen]);
    const last = fresh.at(-1);
    if (last === undefined) return;
    known[last.pen] = last.seq;
    stream.write('events', idOf(known), fresh);
  };
  const pending: (readonly Notice[])[] = [];
  let isBehind = true;
  const stop = tail.follow((notices) => (isBehind ? void pending.push(notices) : send(notices)));
  stream.onEnd(stop);
  for (const pen of ['run', 'maintenance'] as Pen[])
    for await (const notices of newNotices(home.ledgers[pen], pen, known[pen])) send(notices);
  isBehind = false;
  pending.forEach(send);
  const beat = setInterval(() => stream.write('beat', null, null), HEARTBEAT_MS);
  stream.onEnd(() => clearInterval(beat));
  await followLive(home, over, (message) => stream.write('live', null, message));
}

/** A position as the client was given it: r<seq>m<seq>. */
function parsePosition(id: string): Position | null {
  const [, run, maintenance] = /^r(\d{1,15})m(\d{1,15})$/.exec(id) ?? [];
  return run === undefined ? null : { run: Number(run), maintenance: Number(maintenance) };
}

const idOf = ({ run, maintenance }: Position): string => `r${run}m${maintenance}`;

/** Too far behind, or of a ledger that was longer. */
function isTooOld(wanted: Position, now: Position): boolean {
  return (Object.keys(now) as Pen[]).some((pen) => wanted[pen] > now[pen] || now[pen] - wanted[pen] > MOST_BEHIND);
}

function openStream(over: AbortSignal, onOver: () => void) {
  const ends: (() => void)[] = [onOver];
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    for (const act of ends) act();
    try {
      controller?.close();
    } catch {
      // the reader has closed it
    }
  };
  const body = new ReadableStream<Uint8Array>(
    { start: (opened) => void (controller = opened), cancel: end },
    { highWaterMark: MOST_BUFFERED, size: (chunk) => chunk.length },
  );
  over.addEventListener('abort', end, { once: true });
  if (over.aborted) end();
  const encoder = new TextEncoder();
  return {
    body,
    end,
    onEnd: (act: () => void): void => (isOver ? act() : void ends.push(act)),
    write: (event: string, id: string | null, data: unknown): void => {
      if (isOver || controller === null) return;
      if ((controller.desiredSize ?? 0) <= 0) return end();
      const text = `event: ${event}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
      controller.enqueue(encoder.encode(text));
    },
  };
}
