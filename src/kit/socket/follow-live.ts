/** Owns: reading the live stream of a home, from any process, for as long as somebody wants it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Home } from '../../core/schema/home.ts';
import { LiveMessage } from '../../core/schema/live.ts';
import { socketAddress, socketKeyFile } from './live-socket.ts';
import { pause } from '../pause.ts';

const RETRY_MS = 300;

/** Calls back until the signal; where there is no stream, or it ends, it tries again. Never throws. */
export async function followLive(home: Home, signal: AbortSignal, on: (message: LiveMessage) => void): Promise<void> {
  while (!signal.aborted) {
    await readStream(home, signal, on).catch(() => undefined); // tried again behind the pause
    await pause(RETRY_MS, signal, { ref: false });
  }
}

async function readStream(home: Home, signal: AbortSignal, on: (message: LiveMessage) => void): Promise<void> {
  const key = readFileSync(socketKeyFile(home, 'live'), 'utf8');
  const { path, folder } = await socketAddress(home, 'live');
  const socket = connect({ path, signal });
  socket.unref();
  try {
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy());
    socket.write(`${key}\n`);
    let rest = '';
    for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const message of lines.flatMap((line) => parseMessage(line) ?? [])) on(message);
    }
  } finally {
    socket.destroy();
    await folder?.close();
  }
}

function parseMessage(line: string): LiveMessage | null {
  try {
    return LiveMessage.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
