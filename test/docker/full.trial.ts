/** A disk that is full ends nothing: it is told, waited out, and nothing is lost or done twice. */
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { give, runbook, Stage, until } from './stage.ts';

const missing = inject('missing') || (process.getuid?.() === 0 ? '' : 'small disks are mounted by root');
if (missing !== '') it.skip(`full disks are not tried: ${missing}`, () => undefined);

const MB = 1024 * 1024;

describe.skipIf(missing !== '')('a full disk', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = new Stage();
    for (const folder of ['.oka', 'workspace']) mountSmall(join(stage.dir, folder));
    stage.up();
    await stage.result('welcome');
  });
  afterAll(() => {
    stage.compose('down', '--volumes', '--timeout', '5');
    for (const folder of ['.oka', 'workspace']) execFileSync('umount', [join(stage.dir, folder)]);
    stage[Symbol.dispose]();
  });
  const told = (line: RegExp): Promise<true> => until(`${line}`, () => (line.test(stage.logs('worker')) ? true : null));

  it('of .oka in the middle of a task: the worker says so, and both this and what came meanwhile are done when there is space', async () => {
    const steps = [1, 2, 3, 4, 5].map((n) => `sleep 2; echo ${n} >> mid.txt`);
    stage.drop('workspace/inbox/mid.md', runbook('Mid', steps));
    await until('the first step', () => (existsSync(join(stage.dir, 'workspace/desk/mid.txt')) ? true : null));
    fill(join(stage.dir, '.oka/filler'));
    stage.drop('workspace/inbox/meanwhile.md', runbook('Meanwhile', ['echo done >> meanwhile.txt']));
    await told(/the disk is full: nothing is started/);
    rmSync(join(stage.dir, '.oka/filler'));
    await told(/there is space again: work continues/);
    await stage.result('mid', /✅ Done/);
    await stage.result('meanwhile', /✅ Done/);
    expect(stage.read('workspace/desk/mid.txt')).toBe('1\n2\n3\n4\n5\n');
    expect(stage.read('workspace/desk/meanwhile.txt')).toBe('done\n');
    expect(stage.logs('worker').match(/the disk is full: nothing/g)).toHaveLength(1);
    expect(stage.inspect('worker').RestartCount).toBe(0);
  });

  it('of the workspace, flooded by a step: the step fails, and its result is told when there is space', async () => {
    stage.drop('workspace/inbox/flood.md', runbook('Flood', ['echo first > first.txt', 'cat /dev/zero > flood.bin']));
    await told(/flood-\w+: its result cannot be written yet: no space left/);
    rmSync(join(stage.dir, 'workspace/desk/flood.bin'));
    expect((await stage.result('flood', /Not done/)).text).toContain('No space left on device');
    stage.drop('workspace/inbox/after.md', runbook('After', ['echo alive']));
    await stage.result('after', /✅ Done/);
    expect(stage.oka('verify').code).toBe(0);
  });
});

/** A disk of its own for a folder, with what was in it. */
function mountSmall(folder: string): void {
  const before = `${folder}.before`;
  renameSync(folder, before);
  execFileSync('mkdir', [folder]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=755', 'tmpfs', folder]);
  execFileSync('cp', ['-a', `${before}/.`, folder]);
  give(folder);
}

function fill(file: string): void {
  for (let size = MB; size >= 4096; size /= 2)
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // smaller ones may still fit
    }
}
