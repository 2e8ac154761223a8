/**
 * Owns: publishing what is being done now, over a Unix socket in `.oka/state`.
 *
 * 1. Nothing waits for a reader: one that does not keep pace is dropped, and without readers almost nothing is done.
 * 2. A stream that cannot be opened is no error: work goes on without it.
 */
import type { Socket } from 'node:net';
import type { Home } from '../../core/schema/home.ts';
import type { LiveMessage } from '../../core/schema/live.ts';
import { listenWithKey } from '../../kit/socket/socket-server.ts';

export type LiveServer = {
  publish: (message: LiveMessage) => void;
  isWatched: () => boolean;
  /** Calls back when somebody begins to watch. */
  onReader: (listener: () => void) => void;
  close: () => Promise<void>;
};

const MOST_STEPS = 100;
/** Of what a step wrote before somebody began to watch. */
const MOST_TEXT = 4000;
/** What may wait for a reader before it is dropped. */
const BEHIND_BYTES = 262_144;

export async function openLiveServer(home: Home): Promise<LiveServer> {
  const readers = new Set<Socket>();
  const latest: LatestBySteps = new Map();
  let greet = (): void => undefined;
  const server = await listenWithKey(home, 'live', (reader) => {
    readers.add(reader);
    reader.once('close', () => readers.delete(reader));
    for (const message of greeting(latest)) send(reader, lineOf(message));
    greet();
  }).catch(() => null); // nobody can follow live; the work goes on

  function publish(message: LiveMessage): void {
    remember(latest, message);
    const line = lineOf(message);
    for (const reader of readers) send(reader, line);
  }

  return {
    publish,
    isWatched: () => readers.size > 0,
    onReader: (listener) => void (greet = listener),
    close: async () => server?.close(),
  };
}

/** What each step has written lately, for whoever begins to watch: at most one message of a kind. */
type LatestBySteps = Map<string, Map<LiveMessage['kind'], LiveMessage>>;

function remember(latest: LatestBySteps, message: LiveMessage): void {
  const step = JSON.stringify([message.run, message.step]);
  const ofStep = latest.get(step) ?? new Map<LiveMessage['kind'], LiveMessage>();
  latest.delete(step);
  if (message.kind === 'end') return;
  const before = ofStep.get(message.kind);
  const text = before !== undefined && 'text' in before ? before.text : '';
  ofStep.set(message.kind, 'text' in message ? { ...message, text: (text + message.text).slice(-MOST_TEXT) } : message);
  latest.set(step, ofStep);
  if (latest.size > MOST_STEPS) latest.delete(latest.keys().next().value ?? '');
}

/** For a reader that comes back, each step ends first: what it had of the step would otherwise be shown twice. */
function greeting(latest: LatestBySteps): LiveMessage[] {
  return [...latest.values()].flatMap((ofStep) => {
    const messages = [...ofStep.values()];
    return [...messages.slice(0, 1).map(({ run, step }): LiveMessage => ({ run, step, kind: 'end' })), ...messages];
  });
}

const lineOf = (message: LiveMessage): string => `${JSON.stringify(message)}\n`;

function send(reader: Socket, line: string): void {
  if (reader.writableLength > BEHIND_BYTES) reader.destroy();
  else reader.write(line);
}
