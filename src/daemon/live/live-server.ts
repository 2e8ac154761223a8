/**
 * Owns: publishing what is being done now, over a Unix socket in `.oka/state`.
 *
 * 1. Nothing waits for a reader: one that does not keep pace is dropped, and without readers almost nothing is done.
 * 2. A reader gets nothing before it has sent the key; the socket and the key are for their user only.
 * 3. A stream that cannot be opened is no error: work goes on without it.
 * 4. Whoever opens it owns the pen, so a socket that is there was left by a process that is gone.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { lstatIfPresent } from '../../ledger/disk.ts';
import type { Home } from '../../schema/home.ts';
import type { LiveMessage } from '../../schema/live.ts';
import { socketAddress, socketFile, socketKeyFile, type SocketName } from './live-socket.ts';

export type LiveServer = {
  publish: (message: LiveMessage) => void;
  isWatched: () => boolean;
  /** Calls back when somebody begins to watch. */
  onReader: (listener: () => void) => void;
  close: () => Promise<void>;
};

/** Terminals and dashboards that watch at the same time. */
const MOST_READERS = 128;
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
  }).catch(() => null);

  function publish(message: LiveMessage): void {
    remember(latest, message);
    const line = lineOf(message);
    for (const reader of readers) send(reader, line);
  }

  return {
    publish,
    isWatched: () => readers.size > 0,
    onReader: (listener) => void (greet = listener),
    close: async () => {
      for (const reader of readers) reader.destroy();
      await new Promise<void>((done) => (server === null ? done() : server.close(() => done())));
      if (server !== null) rmSync(socketFile(home, 'live'), { force: true });
    },
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

/** Listens on a socket of the home, and admits whoever sends the key (2). */
export async function listenWithKey(home: Home, name: SocketName, admit: (reader: Socket) => void): Promise<Server> {
  const key = writeKey(home, name);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('close', () => (connections -= 1));
    socket.on('error', () => socket.destroy());
    socket.unref();
    if (connections > MOST_READERS) socket.destroy();
    else awaitKey(socket, key, () => admit(socket));
  });
  const { path, folder } = await socketAddress(home, name);
  try {
    await new Promise<void>((done, fail) => server.once('error', fail).listen(path, done));
  } finally {
    await folder?.close();
  }
  chmodSync(socketFile(home, name), 0o600);
  server.on('error', () => undefined);
  return server.unref();
}

/** Removes what a process before has left, and writes a new key. */
function writeKey(home: Home, name: SocketName): Buffer {
  const [file, socket] = [socketKeyFile(home, name), socketFile(home, name)];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (lstatIfPresent(socket)?.isSocket() === true) rmSync(socket);
  rmSync(file, { force: true });
  const key = randomBytes(24).toString('base64url');
  writeFileSync(file, key, { mode: 0o600, flag: 'wx' });
  return Buffer.from(`${key}\n`);
}

function awaitKey(socket: Socket, key: Buffer, admit: () => void): void {
  let received = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    if (received.length < key.length) return;
    socket.off('data', read);
    if (received.length !== key.length || !timingSafeEqual(received, key)) return void socket.destroy();
    socket.resume();
    admit();
  };
  socket.on('data', read);
}
