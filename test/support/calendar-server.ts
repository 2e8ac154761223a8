/** A real calendar server on this machine: Radicale, with TLS and a login. It takes calendars as people's programs put them there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, isListening } from './free-port.ts';
import { openssl } from './openssl.ts';

export const hasRadicale = ['/usr/bin/radicale', '/usr/local/bin/radicale'].find((path) => existsSync(path)) ?? null;

export type CalendarServer = AsyncDisposable & {
  url: string;
  /** The fingerprint of its certificate. */
  fingerprint: string;
  user: string;
  password: string;
  /** Puts objects into a calendar, by name; nothing else is in it then. */
  fill: (calendar: string, objects: Readonly<Record<string, string>>) => void;
  /** What is in a calendar, by name, as the server has it. */
  objects: (calendar: string) => Record<string, string>;
  setDown: (isDown: boolean) => Promise<void>;
};

const PASSWORD = 'correct-horse-7';

export async function openCalendarServer(): Promise<CalendarServer> {
  if (hasRadicale === null) throw new Error('there is no Radicale: apt-get install radicale');
  const program = hasRadicale;
  const dir = mkdtempSync(join(tmpdir(), 'oka-calendar-'));
  openssl(dir, 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=calendar.test -keyout key.pem -out cert.pem');
  const port = await freePort();
  writeFileSync(join(dir, 'users'), `ann:${PASSWORD}\n`);
  writeFileSync(join(dir, 'config'), configOf(dir, port));
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(program, ['--config', join(dir, 'config')], { stdio: ['ignore', 'ignore', 'inherit'] });
    await untilAnswering(port, child);
    return child;
  };
  const stop = async (child: ChildProcess): Promise<void> => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  let server = await start();
  return {
    url: `https://127.0.0.1:${port}/`,
    fingerprint: new X509Certificate(readFileSync(join(dir, 'cert.pem'))).fingerprint256,
    user: 'ann',
    password: PASSWORD,
    fill: (calendar, objects) => {
      const folder = join(dir, 'data/collection-root/ann', calendar.toLowerCase());
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '.Radicale.props'), JSON.stringify({ tag: 'VCALENDAR', 'D:displayname': calendar }));
      for (const [name, ics] of Object.entries(objects)) writeFileSync(join(folder, name), ics);
    },
    objects: (calendar) => {
      const folder = join(dir, 'data/collection-root/ann', calendar.toLowerCase());
      const names = readdirSync(folder).filter((name) => name.endsWith('.ics') && !name.startsWith('.'));
      return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    },
    setDown: async (isDown) => {
      if (isDown) await stop(server);
      else server = await start();
    },
    [Symbol.asyncDispose]: async () => {
      await stop(server);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const configOf = (dir: string, port: number): string => `[server]
hosts = 127.0.0.1:${port}
ssl = True
certificate = ${dir}/cert.pem
key = ${dir}/key.pem
[auth]
type = htpasswd
htpasswd_filename = ${dir}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = ${dir}/data
[logging]
level = error
`;

async function untilAnswering(port: number, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt += 1) {
    if (server.exitCode !== null) break;
    if (await isListening(port)) return;
    await sleep(50);
  }
  throw new Error('Radicale does not run');
}
