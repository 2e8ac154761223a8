/** Reading the stream of the server. Imports nothing by a bare name: the shared worker uses it, too. */
import type { LiveMessage } from '../../../core/schema/live.ts';
import type { Notice } from '../live/ledger-tail.ts';

export type LedgerEvent = Notice;
export type StreamMessage =
  | { kind: 'events'; events: readonly LedgerEvent[] }
  | { kind: 'live'; message: LiveMessage }
  | { kind: 'state'; connected: boolean }
  | { kind: 'reset' };

export type StreamSource = {
  /** Of the stream, and of the route that gives tickets for it. */
  address: string;
  tickets: string;
  /** What the session proves itself with to get one. */
  key: string;
};

/** Reads the stream until the returned function is called. It connects again by itself. Also used by the worker. */
export function readStream(
  { address, tickets, key }: StreamSource,
  after: string,
  on: (message: StreamMessage) => void,
  onPosition: (id: string) => void = () => undefined,
): () => void {
  let source: EventSource | null = null;
  let position = after;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const again = (): void => {
    on({ kind: 'state', connected: false });
    source?.close();
    if (!isOver) timer = setTimeout(() => void listen(), 1000);
  };
  const listen = async (): Promise<void> => {
    const ticket = await newTicket(tickets, key);
    if (isOver) return;
    if (ticket === null) return again();
    source = new EventSource(`${address}?after=${position}&ticket=${ticket}`, { withCredentials: true });
    const at = ({ lastEventId }: MessageEvent): void => {
      if (lastEventId === '') return;
      position = lastEventId;
      onPosition(position);
    };
    source.addEventListener('ready', (event) => {
      at(event);
      on({ kind: 'state', connected: true });
    });
    source.addEventListener('reset', (event) => {
      at(event);
      on({ kind: 'state', connected: true });
      on({ kind: 'reset' });
    });
    source.addEventListener('events', (event) => {
      at(event);
      on({ kind: 'events', events: JSON.parse(event.data as string) as LedgerEvent[] });
    });
    source.addEventListener('live', (event) =>
      on({ kind: 'live', message: JSON.parse(event.data as string) as LiveMessage }),
    );
    source.addEventListener('error', again);
  };
  void listen();
  return () => {
    isOver = true;
    clearTimeout(timer);
    source?.close();
  };
}

/** A stream can carry no header. */
async function newTicket(tickets: string, key: string): Promise<string | null> {
  const answer = await fetch(tickets, { credentials: 'same-origin', headers: { 'X-Oka-Key': key } }).catch(() => null);
  return answer?.ok === true ? ((await answer.json()) as { ticket: string }).ticket : null;
}
