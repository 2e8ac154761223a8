/** A desktop that nobody sees: an X server, a bus of its own and a real notification daemon. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the programs are there. */
export const hasDesktop = ((): boolean => {
  try {
    for (const name of ['Xvfb', 'dbus-daemon', 'dunst', 'notify-send']) execFileSync('which', [name]);
    return true;
  } catch {
    console.warn('SKIPPED: no virtual desktop (apt-get install xvfb dbus dunst libnotify-bin)');
    return false;
  }
})();

export type VirtualDesktop = AsyncDisposable & {
  env: { DISPLAY: string; DBUS_SESSION_BUS_ADDRESS: string };
  /** Summary and body of what was shown since the start; one that was replaced counts once. */
  shown: () => { id: number; summary: string; body: string }[];
};

export async function openVirtualDesktop(): Promise<VirtualDesktop> {
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '640x480x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const display = `:${await firstLine(screen)}`;
  const bus = spawn('dbus-daemon', ['--session', '--print-address=1', '--nofork'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const env = { DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus) };
  const dunst = spawn('dunst', [], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const control = (...words: string[]): string =>
    execFileSync('dunstctl', words, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  for (let tries = 0; !isUp(control); tries += 1) {
    if (tries > 2000) throw new Error('dunst does not start');
    await sleep(50);
  }
  return {
    env,
    shown: () => {
      control('close-all'); // what is closed is in its history
      const { data } = JSON.parse(control('history')) as {
        data: [Record<'id' | 'summary' | 'body', { data: never }>[]];
      };
      return data[0].map(({ id, summary, body }) => ({ id: id.data, summary: summary.data, body: body.data }));
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [dunst, bus, screen]) {
        each.kill('SIGTERM');
        if (each.exitCode === null && each.signalCode === null) await once(each, 'exit');
      }
    },
  };
}

function isUp(control: (...words: string[]) => string): boolean {
  try {
    control('count');
    return true;
  } catch {
    return false;
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  while (!text.includes('\n')) text += String((await once(stdout ?? process.stdin, 'data'))[0]);
  return text.split('\n')[0]?.trim() ?? '';
}
