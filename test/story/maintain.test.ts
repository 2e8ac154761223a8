import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { launcher, oka, okaProcess, temporaryFolder } from '../support/cli.ts';

describe('oka maintain', () => {
  it('makes one pass and says so; a dry run before it writes nothing', async () => {
    using folder = temporaryFolder();
    const dir = ['--dir', folder.dir];
    expect(await oka('maintain', '--once', ...dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('is not set up'),
    });
    await oka('init', ...dir);
    expect(await oka('maintain', '--dry-run', ...dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing'),
    });
    expect((await oka('verify', ...dir)).out).toContain('maintenance_ledger: not there yet');
    expect(await oka('maintain', '--once', ...dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 0 events'),
    });
    expect(await oka('rebuild', ...dir)).toMatchObject({ code: 0 });
    const { findings } = JSON.parse((await oka('doctor', '--json', ...dir)).out) as {
      findings: { what: string; found: string }[];
    };
    expect(findings.find(({ what }) => what === 'maintain')?.found).toMatch(
      /^not running; last pass at .*; nothing left/,
    );
  });

  it('names the setting that is not a time, and exits 3', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    writeFileSync(join(folder.dir, '.oka/rules/config.json'), '{"maintenance":{"slots":{"learn":"at noon"}}}');
    const refused = okaProcess('maintain', '--dir', folder.dir);
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('maintenance.slots.learn: "at noon"') });
    expect(await oka('doctor', '--dir', folder.dir)).toMatchObject({
      code: 1,
      out: expect.stringContaining('"at noon"'),
    });
  });

  it('runs until it is told to stop; a second one is refused; STOP is honoured', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    const child = spawn(process.execPath, [launcher, 'maintain', '--dir', folder.dir], { stdio: 'pipe' });
    try {
      await expect
        .poll(async () => (await oka('doctor', '--dir', folder.dir)).out, { timeout: 20_000, interval: 500 })
        .toContain(`process ${child.pid}`);
      expect(okaProcess('maintain', '--dir', folder.dir)).toMatchObject({
        code: 3,
        err: expect.stringContaining(`is being written by process ${child.pid}`),
      });
      child.kill('SIGTERM');
      await Promise.race([once(child, 'exit'), sleep(10_000)]);
      expect(child.exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
    writeFileSync(join(folder.dir, '.oka/STOP'), '');
    expect(await oka('maintain', '--once', '--dir', folder.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('STOP'),
    });
    rmSync(join(folder.dir, '.oka/STOP'));
    expect((await oka('maintain', '--once', '--dir', folder.dir)).code).toBe(0);
  });
});

describe('oka tidy', () => {
  it('says what would go, and does it', async () => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    expect(await oka('tidy', '--dry-run', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Would remove 0 artifacts'),
    });
    expect(JSON.parse((await oka('tidy', '--json', '--dir', folder.dir)).out)).toEqual({
      tidied: { artifacts: 0, outbox: [], tools: [], bytes: 0 },
    });
  });
});
