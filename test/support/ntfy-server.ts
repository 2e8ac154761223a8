/** A real ntfy server on this machine, with everything denied but what its tokens may do. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** OKA_NTFY, or ntfy on the path; null where there is none. */
export const ntfyProgram = ((): string | null => {
  const named = process.env['OKA_NTFY'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = [...(named === undefined ? [] : [named]), ...folders.map((folder) => join(folder, 'ntfy'))].find(
    isProgram,
  );
  if (found === undefined) console.warn('SKIPPED: there is no ntfy on this machine (set OKA_NTFY to the program)');
  return found ?? null;
})();

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type NtfyMessage = {
  id: string;
  title: string;
  message: string;
  sequence_id?: string;
  actions?: { label: string; url: string; body: string; headers?: Record<string, string> }[];
};

export type NtfyServer = AsyncDisposable & {
  url: string;
  host: string;
  /** Writes `oka`, reads `answers`. */
  worker: string;
  /** Writes `answers`, and nothing else. */
  buttons: string;
  /** Everything on `oka` that a phone has received. */
  received: () => Promise<NtfyMessage[]>;
  press: (action: NonNullable<NtfyMessage['actions']>[number]) => Promise<number>;
  stop: () => Promise<void>;
  start: () => Promise<void>;
};

export async function openNtfyServer(): Promise<NtfyServer> {
  const dir = mkdtempSync(join(tmpdir(), 'oka-ntfy-'));
  const port = await freePort();
  const [url, host] = [`http://127.0.0.1:${port}`, `127.0.0.1:${port}`];
  const config = join(dir, 'server.yml');
  const auth = join(dir, 'auth.db');
  const lines = [
    `base-url: "${url}"`,
    `listen-http: "127.0.0.1:${port}"`,
    `cache-file: "${join(dir, 'cache.db')}"`,
    `auth-file: "${auth}"`,
    'auth-default-access: "deny-all"',
    'visitor-request-limit-exempt-hosts: "127.0.0.1"',
    'visitor-message-daily-limit: 10000',
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = spawn(ntfyProgram ?? 'ntfy', ['serve', '--config', config], { stdio: 'ignore' });
    for (let tries = 0; tries < 2400; tries += 1) {
      const isUp = await fetch(`${url}/v1/health`).then(
        (response) => response.ok,
        () => false,
      );
      if (isUp) return;
      await sleep(50);
    }
    throw new Error('ntfy does not start');
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = null;
    if (running === null) return;
    running.kill('SIGTERM');
    if (running.exitCode === null) await once(running, 'exit');
  };
  await start();
  const admin = (...words: string[]): string =>
    execFileSync(ntfyProgram ?? 'ntfy', words, {
      env: { ...process.env, NTFY_PASSWORD: randomBytes(12).toString('hex'), NTFY_CONFIG_FILE: config },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const tokenFor = (user: string, grants: readonly [string, string][]): string => {
    admin('user', '-c', config, '-H', auth, 'add', user);
    for (const [topic, right] of grants) admin('access', '-c', config, '-H', auth, user, topic, right);
    const added = admin('token', '-c', config, '-H', auth, 'add', user);
    return /tk_\w+/.exec(added)?.[0] ?? '';
  };
  const worker = tokenFor('worker', [
    ['oka', 'write-only'],
    ['answers', 'read-only'],
  ]);
  const buttons = tokenFor('buttons', [['answers', 'write-only']]);
  const phone = tokenFor('phone', [['oka', 'read-only']]);
  return {
    url,
    host,
    worker,
    buttons,
    start,
    stop,
    received: async () => {
      const response = await fetch(`${url}/oka/json?poll=1&since=all`, {
        headers: { authorization: `Bearer ${phone}` },
      });
      const text = await response.text();
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as NtfyMessage);
    },
    press: async ({ url: to, body, headers = {} }) => (await fetch(to, { method: 'POST', body, headers })).status,
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
