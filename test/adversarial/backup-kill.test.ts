/** Killing backups and restores at random moments while a worker works: every backup that is listed stays whole. */
import { spawn, spawnSync } from 'node:child_process';
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

function timeOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** From its first steps to a little after its usual end. */
const momentOf = (round: number, ms: number): number => ms * (0.1 + ((round * 0.137) % 1));

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
    const takes = timeOf(() => okaProcess('backup', '--dir', home));
    let [killed, killedLate] = [0, 0];
    for (let round = 0; round < scaled(40); round += 1) {
      writeFileSync(
        join(home, 'workspace', 'inbox', `t${round}.md`),
        `# Task ${round}\n\n\`\`\`sh\necho ${round} >> log.txt\n\`\`\`\n`,
      );
      writeFileSync(join(desk, `new-${round}.bin`), Buffer.alloc(300_000, `${round} `));
      const before = stateTimes(to);
      const wasKilled = await killedAfter(momentOf(round, takes), 'backup', '--dir', home);
      const after = stateTimes(to);
      expect(after.slice(after.length - before.length)).toEqual(before);
      expect(after.length - before.length).toBeLessThanOrEqual(1);
      if (wasKilled) killed += 1;
      else expect(after.length - before.length).toBe(1);
      if (wasKilled && after.length > before.length) killedLate += 1;
      if (round % 8 === 7) expect(okaProcess('backup', 'check', '--dir', home)).toMatchObject({ code: 0 });
    }
    expect(killed).toBeGreaterThan(0);
    console.log(`${killed} of ${scaled(40)} backups were killed, ${killedLate} of them when theirs was whole already`);
    expect(okaProcess('backup', '--dir', home)).toMatchObject({ code: 0 });
    expect(okaProcess('backup', 'check', '--dir', home)).toMatchObject({ code: 0 });
    expect(readdirSync(join(to, 'states')).filter((name) => !name.endsWith('Z.age'))).toEqual([]);
  } finally {
    worker.kill('SIGTERM');
    await workerEnds;
  }
  expect(okaProcess('backup', '--dir', home)).toMatchObject({ code: 0 }); // of a home that nobody changes any more
  const again = join(folder.dir, 'again');
  const takes = timeOf(() => okaProcess('restore', '--from', to, '--key', key, '--dir', again));
  expectWhole(again);
  rmSync(again, { recursive: true });
  let [cut, whole] = [0, 0];
  for (let round = 0; round < scaled(20); round += 1) {
    if (await killedAfter(momentOf(round, takes), 'restore', '--from', to, '--key', key, '--dir', again)) cut += 1;
    if (!existsSync(again)) continue;
    expectWhole(again);
    whole += 1;
    rmSync(again, { recursive: true });
  }
  expect(cut).toBeGreaterThan(0);
  console.log(`${cut} of ${scaled(20)} restores were killed; ${whole} of them left the whole home, the others nothing`);
  expect(okaProcess('restore', '--from', to, '--key', key, '--dir', again)).toMatchObject({ code: 0 });
  expectWhole(again);
  expect(readdirSync(folder.dir).toSorted()).toEqual(['again', 'backups', 'home', 'key']);

  function expectWhole(restored: string): void {
    expect(okaProcess('verify', '--dir', restored)).toMatchObject({ code: 0 });
    expect(existsSync(join(restored, '.oka', 'PAUSED'))).toBe(true);
    for (const part of ['workspace/desk', 'workspace/outbox', '.oka/rules'])
      expect(spawnSync('diff', ['-r', join(home, part), join(restored, part)], { encoding: 'utf8' }).stdout).toBe('');
  }
}, 900_000);
