import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { observeDesk } from './desk-observer.ts';

const [desk = '', elsewhere = ''] = ['desk', 'else'].map((name) =>
  realpathSync(mkdtempSync(join(tmpdir(), `oka-observer-${name}-`))),
);
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of [desk, elsewhere]) rmSync(folder, { recursive: true });
});

function run(task: string, cwd: string): ChildProcess {
  const child = spawn('bash', ['-c', `while true; do sleep 0.05; done # step of ${task}`], { cwd, stdio: 'ignore' });
  children.push(child);
  return child;
}

it('sees steps of two tasks at the same time on one desk, and only there', async () => {
  const observer = observeDesk(desk);
  run('a1', desk);
  run('b1', elsewhere);
  while (observer.samples().busy < 3) await sleep(10);
  expect(observer.overlaps()).toEqual([]);
  run('c1', desk);
  while (observer.overlaps().length === 0) await sleep(10);
  await observer.stop();
  expect(observer.overlaps()).toEqual(['a1 and c1']);
});
