/** Redis and PostgreSQL on loopback, in throw-away folders, set to lose nothing that they have acknowledged. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type QueueServer = { url: string; [Symbol.asyncDispose](): Promise<void> };

const USER = 'postgres';
const isRoot = process.getuid?.() === 0;

/** Null when it is not installed. */
export async function startRedis(): Promise<QueueServer | null> {
  const program = programIn((process.env['PATH'] ?? '').split(':'), 'redis-server');
  if (program === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'oka-redis-'));
  const port = await freePort();
  const options = { port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', appendfsync: 'always', save: '' };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  return serverOf(folder, start(folder, program, args), `redis://127.0.0.1:${port}`, () =>
    isReady('redis-cli', ['-p', `${port}`, 'ping']),
  );
}

/** Null when it is not installed. PostgreSQL refuses to run as root, so root starts it as its own user. */
export async function startPostgres(): Promise<QueueServer | null> {
  const folders = [...globSync('/usr/lib/postgresql/*/bin'), ...(process.env['PATH'] ?? '').split(':')];
  const [server, creator] = [programIn(folders, 'postgres'), programIn(folders, 'initdb')];
  if (server === null || creator === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'oka-postgres-'));
  if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  const data = join(folder, 'data');
  const port = await freePort();
  const [create, ...createArgs] = asUser([creator, '-D', data, '-U', USER, '-A', 'trust']);
  execFileSync(create ?? '', createArgs, { stdio: 'ignore', cwd: folder });
  const [run, ...runArgs] = asUser([server, '-D', data, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder]);
  return serverOf(folder, start(folder, run ?? '', runArgs), `postgres://${USER}@127.0.0.1:${port}/${USER}`, () =>
    isReady('psql', ['-h', '127.0.0.1', '-p', `${port}`, '-U', USER, '-c', 'select 1']),
  );
}

async function serverOf(folder: string, child: ChildProcess, url: string, ready: () => boolean): Promise<QueueServer> {
  const stop = async (): Promise<void> => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGINT')) await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !ready(); tries += 1) {
    if (tries === 100 || child.exitCode !== null) {
      await stop();
      throw new Error(`the server at ${url} did not start`);
    }
    await sleep(100);
  }
  return { url, [Symbol.asyncDispose]: stop };
}

function start(folder: string, program: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, 'server.log'), 'a');
  return spawn(program, args, { stdio: ['ignore', log, log], cwd: folder });
}

/** `setpriv` becomes the program, so that a signal reaches it. */
function asUser(command: readonly string[]): string[] {
  if (!isRoot) return [...command];
  return ['setpriv', `--reuid=${idOf('-u')}`, `--regid=${idOf('-g')}`, '--clear-groups', ...command];
}

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }));

function isReady(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 1000 });
    return true;
  } catch {
    return false;
  }
}

function programIn(folders: readonly string[], name: string): string | null {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}
