import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';

const watchdog = join(import.meta.dirname, '../../src/app/watchdog.ts');

/** A process with a watchdog that is patient for a second. */
function watched(body: string): { child: ReturnType<typeof spawn>; ended: Promise<unknown[]>; out: () => string } {
  const code = `const { startWatchdog } = await import(${JSON.stringify(watchdog)});
    const dog = startWatchdog({ tickMs: 50, silenceMs: 1000 }); ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => void (text += bytes.toString()));
  return { child, ended: once(child, 'close'), out: () => text };
}

it('a process whose event loop is blocked is ended, and says why', async () => {
  const { ended, out } = watched('setTimeout(() => { for (;;); }, 300);');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(out()).toMatch(/^oka: process \d+ was blocked for 1 s and ends\n$/);
});

it('a process that was stopped goes on, and one that has finished ends by itself', async () => {
  const { child, ended, out } = watched(
    `console.log('here'); setTimeout(() => { console.log('done'); dog.end(); }, 1500);`,
  );
  while (!out().includes('here')) await sleep(20);
  child.kill('SIGSTOP');
  await sleep(3000);
  child.kill('SIGCONT');
  expect(await ended).toEqual([0, null]);
  expect(out()).toBe('here\ndone\n');
});
