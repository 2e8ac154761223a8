/**
 * Owns: serving other processes of this user over a Unix socket in `.oka/state`.
 *
 * 1. A client gets nothing before it has sent the key, and is dropped if it does not; the socket and the key are for their
 *    user only.
 * 2. Whoever listens owns the pen, so a socket that is there was left by a process that is gone.
 * 3. Closing waits for no client, whatever it has sent so far.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import { socketAddress, socketFile, socketKeyFile, type SocketName } from './live-socket.ts';

type SocketServer = { close: () => Promise<void> };

/** Terminals and dashboards that watch at the same time. */
const MOST_CLIENTS = 128;
const LONGEST_WITHOUT_KEY_MS = 10_000;

/** Listens on a socket of the home, and admits whoever sends the key. */
export async function listenWithKey(
  home: Home,
  name: SocketName,
  admit: (client: Socket) => void,
): Promise<SocketServer> {
  const key = writeKey(home, name);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    client.unref();
    if (clients.size > MOST_CLIENTS) client.destroy();
    else awaitKey(client, key, () => admit(client));
  });
  const { path, folder } = await socketAddress(home, name);
  try {
    await new Promise<void>((done, fail) => server.once('error', fail).listen(path, done));
  } finally {
    await folder?.close();
  }
  chmodSync(socketFile(home, name), 0o600);
  server.on('error', () => undefined);
  server.unref();
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of clients) client.destroy(); // also those whose key is on its way (3)
      await closed;
      rmSync(socketFile(home, name), { force: true });
    },
  };
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
  const late = setTimeout(() => socket.destroy(), LONGEST_WITHOUT_KEY_MS).unref();
  socket.once('close', () => clearTimeout(late));
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    if (received.length < key.length) return;
    socket.off('data', read);
    if (received.length !== key.length || !timingSafeEqual(received, key)) return void socket.destroy();
    clearTimeout(late);
    socket.resume();
    admit();
  };
  socket.on('data', read);
}
