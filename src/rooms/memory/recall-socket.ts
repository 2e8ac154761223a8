/**
 * Owns: answering searches of other processes over a Unix socket in `.oka/state`, so that a command does not have to load
 * the index and the embedding model while a worker has both.
 *
 * 1. The server says hello to whoever knows the key; then there is one request and one reply, each one line of JSON.
 * 2. A worker that does not answer in time is no error: whoever asks searches by itself.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { BackgroundRecall, RetrieveRequest } from './recall/background-recall.ts';
import type { Retrieved } from './recall/search-memory.ts';
import type { Home } from '../../core/schema/home.ts';
import { listenWithKey } from '../../kit/socket/socket-server.ts';
import { socketAddress, socketKeyFile } from '../../kit/socket/live-socket.ts';

const HELLO = 'memory';
const PATIENCE_MS = 5000;

/** Returns how to stop. Where it cannot listen, nobody is served. */
export async function serveRecall(
  home: Home,
  recall: Pick<BackgroundRecall, 'retrieve'>,
): Promise<() => Promise<void>> {
  const server = await listenWithKey(home, 'memory', (socket) => {
    createInterface({ input: socket }).once('line', (line) => void reply(socket, recall, line));
    socket.write(`${HELLO}\n`);
  }).catch(() => null); // commands fold the files themselves
  return async () => server?.close();
}

async function reply(socket: Socket, recall: Pick<BackgroundRecall, 'retrieve'>, line: string): Promise<void> {
  try {
    socket.end(`${JSON.stringify(await recall.retrieve(JSON.parse(line) as RetrieveRequest))}\n`);
  } catch {
    socket.destroy(); // whoever asked searches by itself (2)
  }
}

/** Null when no worker answers. */
export async function retrieveFromWorker(home: Home, request: RetrieveRequest): Promise<Retrieved | null> {
  try {
    const key = readFileSync(socketKeyFile(home, 'memory'), 'utf8');
    const { path, folder } = await socketAddress(home, 'memory');
    try {
      return await exchange(connect(path), key, request);
    } finally {
      await folder?.close();
    }
  } catch {
    return null;
  }
}

async function exchange(socket: Socket, key: string, request: RetrieveRequest): Promise<Retrieved | null> {
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('it does not answer')));
  try {
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy());
    socket.write(`${key}\n`);
    let received = '';
    let isAsked = false;
    for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
      received += chunk;
      if (isAsked || received !== `${HELLO}\n`) continue;
      [received, isAsked] = ['', true];
      socket.write(`${JSON.stringify(request)}\n`);
    }
    return received.endsWith('\n') ? (JSON.parse(received) as Retrieved) : null;
  } finally {
    socket.destroy();
  }
}
