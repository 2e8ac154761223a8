/** Killing backups and restores at random moments while a worker works: every backup that is listed stays whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stateTimes } from '../../src/rooms/backup/backup-store.ts';
import { launcher, okaProcess, temporaryFolder } from '../support/cli.ts';
import { scaled } from '../support/thorough.ts';

/** Starts a command and kills it after so many milliseconds, unless it has ended before. */
async function killedAfter(ms: number, ...words: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [launcher, ...words], { stdio: 'ignore' });
  const ended = once(child, 'close');
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const [code] = (await ended) as [number | null];
  clearTimeout(timer);
  return code === null;
}

it('whoever is killed leaves the old state or the new one', async () => {
  using folder = temporaryFolder();
  const home = join(folder.dir, 'home');
  const to = join(folder.dir, 'backups');
  const key = join(folder.dir, 'key');
  okaProcess('init', '--dir', home);
  const desk = join(home, 'workspace', 'desk');
  const worker = spawn(process.execPath, [launcher, 'worker', '--dir', home], { stdio: 'ignore' });
  const workerEnds = once(worker, 'close');
  try {
    expect(okaProcess('backup', '--to', to, '--recovery-key', key, '--dir', home)).toMatchObject({ code: 0 });
    let killed = 0;
    for (let round = 0; round < scaled(40); round += 1) {
      writeFileSync(
        join(home, 'workspace', 'inbox', `t${round}.md`),
        `# Task ${round}\n\n\`\`\`sh\necho ${round} >> log.txt\n\`\`\`\n`,
      );
      writeFileSync(join(desk, `new-${round}.bin`), Buffer.alloc(300_000, `${round} `));
      if (await killedAfter(250 + ((round * 137) % 900), 'backup', '--dir', home)) killed += 1;
      const before = stateTimes(to);
      expect(before.length).toBeGreaterThan(0);
      if (round % 8 === 7) expect(okaProcess('backup', 'check', '--dir', home)).toMatchObject({ code: 0 });
    }
    expect(killed).toBeGreaterThan(0);
    expect(okaProcess('backup', '--dir', home)).toMatchObject({ code: 0, err: '' });
    expect(okaProcess('backup', 'check', '--dir', home)).toMatchObject({ code: 0 });
    expect(readdirSync(join(to, 'states')).filter((name) => !name.endsWith('Z.age'))).toEqual([]);
  } finally {
    worker.kill('SIGTERM');
    await workerEnds;
  }
  const again = join(folder.dir, 'again');
  let cut = 0;
  for (let round = 0; round < scaled(20); round += 1) {
    if (await killedAfter(250 + round * 40, 'restore', '--from', to, '--key', key, '--dir', again)) cut += 1;
    if (!existsSync(again)) continue;
    expect(okaProcess('verify', '--dir', again)).toMatchObject({ code: 0 });
    expect(existsSync(join(again, '.oka', 'PAUSED'))).toBe(true);
    rmSync(again, { recursive: true });
  }
  expect(cut).toBeGreaterThan(0);
  expect(okaProcess('restore', '--from', to, '--key', key, '--dir', again)).toMatchObject({ code: 0, err: '' });
  expect(okaProcess('verify', '--dir', again)).toMatchObject({ code: 0 });
  expect(readdirSync(folder.dir).toSorted()).toEqual(['again', 'backups', 'home', 'key']);
});
