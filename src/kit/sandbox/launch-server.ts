/**
 * Owns: the process that starts launchers for this one (native/serve.c). Node starts a process by a fork, which copies the
 * page tables of the whole worker and blocks it meanwhile: 12 ms at 500 MB. The server is small, and starts in a
 * millisecond.
 * Does not own: the options of a launcher (sandbox-launch.ts), what it leaves behind (launch-ticket.ts).
 *
 * L1 There is one server per launcher program. It is started at the first launch and ends with this process; one that
 *    was killed is replaced at the next launch.
 * L2 A launcher outlives the server as it outlives this process. Whoever waits for one gets `null` then, and has to ask
 *    its ticket, also to stop it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { errnoOf } from '../../core/schema/errors.ts';
import { signalName } from './result-file.ts';

export type LauncherEnd = { code: number | null; signal: string | null; stderr: string };

const START = 1;
const STOP = 2;
const NEWLINE = 10;
const servers = new Map<string, LaunchServer>();

/** How the launcher ended; without code and signal it could not be started. Null if only its ticket can tell (L2). */
export async function runLauncher(
  launcher: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LauncherEnd | null> {
  const strings = [...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  if (strings.some((each) => each.includes('\0'))) return unstarted('ERR_INVALID_ARG_VALUE');
  let server: LaunchServer;
  try {
    server = serverFor(launcher);
  } catch (error) {
    return unstarted(errnoOf(error) ?? String(error));
  }
  const { id, ended } = server.start(strings, args.length);
  const stop = (): void => server.stop(id);
  signal.addEventListener('abort', stop);
  try {
    return await ended;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function serverFor(launcher: string): LaunchServer {
  const present = servers.get(launcher);
  if (present !== undefined) return present;
  const server = new LaunchServer(launcher, () => servers.delete(launcher));
  servers.set(launcher, server);
  return server;
}

const unstarted = (problem: string): LauncherEnd => ({ code: null, signal: null, stderr: problem });

class LaunchServer {
  readonly #child: ChildProcess;
  readonly #requests: Socket;
  readonly #answers: Socket;
  readonly #waiting = new Map<number, (end: LauncherEnd | null) => void>();
  #unread = Buffer.alloc(0);
  #lastId = 0;

  constructor(launcher: string, onEnd: () => void) {
    this.#child = spawn(launcher, ['--serve'], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#requests = this.#child.stdin as Socket;
    this.#answers = this.#child.stdout as Socket;
    const end = (outcome: LauncherEnd | null): void => {
      onEnd();
      this.#requests.destroy();
      for (const resolve of this.#waiting.values()) resolve(outcome);
      this.#waiting.clear();
    };
    this.#child.once('error', (error) => end(unstarted(errnoOf(error) ?? error.message)));
    this.#requests.on('error', () => undefined); // it has ended, which 'close' reports
    this.#answers.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#answers.on('error', () => undefined);
    this.#answers.once('close', () => end(null));
    this.#release();
  }

  /** Starts a launcher with the first `count` strings as arguments and the others as environment. */
  start(strings: readonly string[], count: number): { id: number; ended: Promise<LauncherEnd | null> } {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<LauncherEnd | null>();
    this.#waiting.set(id, resolve);
    this.#retain();
    const body = Buffer.from(strings.map((each) => `${each}\0`).join(''));
    this.#request(START, id, count, strings.length - count, body);
    return { id, ended: promise };
  }

  /** Asks a launcher to end its command. */
  stop(id: number): void {
    if (this.#waiting.has(id)) this.#request(STOP, id, 0, 0, Buffer.alloc(0));
  }

  #request(kind: number, id: number, args: number, variables: number, body: Buffer): void {
    const header = Uint32Array.of(kind, id, args, variables, body.length);
    this.#requests.write(Buffer.concat([Buffer.from(header.buffer), body]));
  }

  /** Reads answers: a line of five numbers, then what the launcher wrote to stderr. */
  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const end = this.#unread.indexOf(NEWLINE);
      if (end < 0) return;
      const [id = 0, exit = -1, bySignal = 0, errno = 0, size = 0] = this.#unread
        .toString('latin1', 0, end)
        .split(' ')
        .map(Number);
      if (this.#unread.length < end + 1 + size) return;
      const stderr = this.#unread.toString('utf8', end + 1, end + 1 + size);
      this.#unread = this.#unread.subarray(end + 1 + size);
      const signal = bySignal === 0 ? null : signalName(bySignal);
      const outcome = { code: exit < 0 ? null : exit, signal, stderr };
      this.#waiting.get(id)?.(errno === 0 ? outcome : unstarted(getSystemErrorName(-errno)));
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#release();
    }
  }

  /** While a launcher is waited for, this process does not end by itself. */
  #retain(): void {
    for (const each of [this.#child, this.#requests, this.#answers]) each.ref();
  }

  #release(): void {
    for (const each of [this.#child, this.#requests, this.#answers]) each.unref();
  }
}
