/**
 * The shared worker: one stream for all tabs. It imports nothing by a bare name, since a worker has no import map.
 * A tab that opens later begins at its own position and reads what it missed from the server, not from here.
 */
import { readStream, type StreamMessage, type StreamSource } from './stream.ts';

type Asked = (StreamSource & { after: string }) | 'close';

const tabs = new Set<MessagePort>();
let stop: (() => void) | null = null;
let isConnected = true;

addEventListener('connect', (event) => {
  const [tab] = (event as MessageEvent).ports;
  if (tab === undefined) return;
  tab.addEventListener('message', ({ data }: MessageEvent<Asked>) =>
    data === 'close' ? leave(tab) : enter(tab, data),
  );
  tab.start();
});

function enter(tab: MessagePort, { after, ...source }: Exclude<Asked, 'close'>): void {
  tabs.add(tab);
  tab.postMessage({ kind: 'state', connected: isConnected } satisfies StreamMessage);
  if (stop === null) stop = readStream(source, after, publish);
  else tab.postMessage({ kind: 'reset' } satisfies StreamMessage);
}

function leave(tab: MessagePort): void {
  tabs.delete(tab);
  if (tabs.size > 0) return;
  stop?.();
  stop = null;
}

/** Passes a message on to all tabs. */
function publish(message: StreamMessage): void {
  if (message.kind === 'state') isConnected = message.connected;
  for (const tab of tabs) tab.postMessage(message);
}
