/**
 * What happens, as it happens. One stream for all tabs of a browser (a shared worker), and where there is none, one for
 * the tab that is visible: a browser opens only six connections to a server, and streams would use them up.
 */
import type { LiveMessage } from '../../../core/schema/live.ts';
import { signal } from '@preact/signals';
import { sessionKey } from './session-key.ts';
import { addressOf, start } from './start.ts';
import { latestByStep } from './latest-live.ts';
import { type LedgerEvent, readStream, type StreamMessage, type StreamSource } from './stream.ts';

export type { LedgerEvent } from './stream.ts';

/** Whether the stream is there; false while the server is away. */
export const connected = signal(true);

const eventListeners = new Set<(events: readonly LedgerEvent[]) => void>();
const liveListeners = new Set<(message: LiveMessage) => void>();
const latestLive = latestByStep();
const resetListeners = new Set<() => void>();

/** Calls back with new events of both ledgers; the returned function ends it. */
export const onEvents = (listener: (events: readonly LedgerEvent[]) => void): (() => void) =>
  add(eventListeners, listener);
/**
 * Calls back with the words of models and the output of commands: at once with the latest of each step that is in
 * progress, since the stream may be ahead of the data that made a page show the step.
 */
export function onLive(listener: (message: LiveMessage) => void): () => void {
  for (const message of latestLive.values()) listener(message);
  return add(liveListeners, listener);
}
/** Calls back when events were missed: read everything again. */
export const onReset = (listener: () => void): (() => void) => add(resetListeners, listener);

export function openStream(): void {
  const worker = new URL('./live-worker.ts', import.meta.url);
  const [address = '', tickets = ''] = ['/api/v1/events', '/api/v1/ticket'].map(
    (path) => new URL(addressOf(path), location.href).href,
  );
  const source = { address, tickets, key: sessionKey() };
  if (typeof SharedWorker === 'undefined') return openWhileVisible(source);
  const { port } = new SharedWorker(worker, { type: 'module', name: `oka ${address} ${source.key.slice(0, 8)}` });
  port.addEventListener('message', ({ data }: MessageEvent<StreamMessage>) => take(data));
  port.start();
  port.postMessage({ ...source, after: start.position });
  addEventListener('pagehide', () => port.postMessage('close'));
  addEventListener('pageshow', ({ persisted }) => (persisted ? location.reload() : undefined));
}

function openWhileVisible(source: StreamSource): void {
  let stop: (() => void) | null = null;
  let after = start.position;
  const follow = (): void => {
    if (document.visibilityState === 'hidden') {
      stop?.();
      stop = null;
    } else stop ??= readStream(source, after, take, (id) => (after = id));
  };
  document.addEventListener('visibilitychange', follow);
  follow();
}

function take(message: StreamMessage): void {
  switch (message.kind) {
    case 'events':
      for (const listener of eventListeners) listener(message.events);
      return;
    case 'live':
      latestLive.note(message.message);
      for (const listener of liveListeners) listener(message.message);
      return;
    case 'reset':
      for (const listener of resetListeners) listener();
      return;
    case 'state':
      connected.value = message.connected;
  }
}

function add<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
