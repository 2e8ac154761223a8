/** Reading the stream of the server. Imports nothing by a bare name: the shared worker uses it, too. */
import type { LiveMessage } from '../../../core/schema/live.ts';
import type { Notice } from '../live/ledger-tail.ts';

export type LedgerEvent = Notice;
export type StreamMessage =
  | { kind: 'events'; events: readonly LedgerEvent[] }
  | { kind: 'live'; message: LiveMessage }
  | { kind: 'state'; connected: boolean }
  | { kind: 'reset' };

/** Reads the stream until the returned function is called. It connects again by itself. Also used by the worker. */
export function readStream(
  address: string,
  after: string,
  on: (message: StreamMessage) => void,
  onPosition: (id: string) => void = () => undefined,
): () => void {
  let source: EventSource | null = null;
  let position = after;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = (): void => {
    source = new EventSource(`${address}?after=${position}`, { withCredentials: true });
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
    source.addEventListener('error', () => {
      on({ kind: 'state', connected: false });
      source?.close();
      timer = setTimeout(listen, 1000);
    });
  };
  listen();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
