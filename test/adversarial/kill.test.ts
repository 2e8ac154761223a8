/** L3 and L6 against the process: killed at any moment, and system calls on the ledger file that fail or never return. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acceptRollback } from '../../src/rooms/records/accept-rollback.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { Config } from '../../src/core/schema/config.ts';
import type { ChildTask } from '../support/ledger-child.ts';
import {
  type Ack,
  acksOf,
  auditOf,
  type Child,
  faultsOf,
  finishedChild,
  rejectionsOf,
  startChild,
  wholeLinesOf,
} from '../support/ledger-children.ts';
import { scaled, scaledLimit } from '../support/thorough.ts';
import { freshFolder, noteOf, type Random, randomFrom } from '../support/ledger-samples.ts';

describe.concurrent('kill -9', () => {
  const lanes = [
    { what: 'one writer', rounds: scaled(30), task: { appends: 200 } },
    { what: 'eight writers at once', rounds: scaled(30), task: { writers: 8, appends: 40 } },
    { what: 'large batches', rounds: scaled(10), task: { writers: 2, batch: 20, text: 19_000, appends: 5 } },
  ];
  it.each(lanes)(
    'L3 with $what, what was acknowledged survives a kill at any of $rounds moments, once and in its place',
    { timeout: scaledLimit(900_000) },
    async ({ rounds, task }) => {
      const dir = freshFolder();
      const file = join(dir, '.oka', 'run_ledger.jsonl');
      const random = randomFrom(rounds);
      const audit = auditOf(file);
      const acks = await restarted(dir);
      for (let round = 1; round <= rounds; round += 1) {
        const killedWith = await killed({ dir, label: `k${round}`, stay: true, ...task }, random);
        expect(audit(killedWith), `seed ${rounds}, round ${round}`).toEqual([]);
        expect(['intact', 'torn'], `seed ${rounds}, round ${round}`).toContain((await verifyLedger(file)).state);
        acks.push(...killedWith);
      }
      expect(acks.length).toBeGreaterThan(rounds / 2); // as many as are waited for, however slow the disk is
      acks.push(...(await restarted(dir)));
      expect(faultsOf(file, acks)).toEqual([]);
      expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
    },
  );
});

const strace = spawnSync('strace', ['-e', 'inject=getpid:error=EIO', 'true']).status === 0;

describe.skipIf(!strace)('system calls that fail (needs strace with the right to trace)', () => {
  const counts = [1, 3, 6];

  it.concurrent.each(counts)('L6 EIO on write %i rolls back and rejects that append only', async (when) => {
    const { child, file } = await injected([`write:error=EIO:when=${when}`]);
    expect(rejectionsOf(child.said)).toEqual(['write-failed']);
    expect(acksOf(child.said)).toHaveLength(7);
    await expectWhole(file, child);
  });

  it.concurrent.each(counts)(
    'L6 ENOSPC on write %i rejects with disk-full, is recorded, and work goes on',
    async (when) => {
      const { child, file } = await injected([`write:error=ENOSPC:when=${when}`]);
      expect(rejectionsOf(child.said)).toEqual(['disk-full']);
      expect(acksOf(child.said)).toHaveLength(7);
      const types = wholeLinesOf(file).map(({ type }) => type);
      expect(types.slice(when - 1, when + 2)).toEqual(['ledger.disk_full', 'run.paused', 'ledger.disk_freed']);
      await expectWhole(file, child);
    },
  );

  it.concurrent('L6 ENOSPC on every write from the third on rejects everything and loses nothing before it', async () => {
    const { child, file } = await injected(['write:error=ENOSPC:when=3+']);
    expect(rejectionsOf(child.said)).toEqual(Array.from({ length: 6 }, () => 'disk-full'));
    expect(acksOf(child.said)).toHaveLength(2);
    await expectWhole(file, child);
  });

  it.concurrent('L6 an interrupted write is simply done again', async () => {
    const { child, file } = await injected(['write:error=EINTR:when=2+3']);
    expect(acksOf(child.said)).toHaveLength(8);
    await expectWhole(file, child);
  });

  it.concurrent('L6 a write that claims bytes it never wrote is noticed by the next append and at the next start; nothing before is lost', async () => {
    const { child, file } = await injected(['write:retval=100:when=4']);
    expect(rejectionsOf(child.said)).toEqual(Array.from({ length: 4 }, () => 'ledger-replaced'));
    const honest = acksOf(child.said).slice(0, 3);
    const home = homeAt(join(file, '..', '..'));
    await expect(restarted(home.dir)).rejects.toMatchObject({ code: 'ledger-rolled-back' });
    expect(
      await acceptRollback(home, Config.parse({}), 'run', {
        signal: new AbortController().signal,
        notify: () => undefined,
      }),
    ).toMatchObject({ missing: 1 });
    expect(faultsOf(file, [...honest, ...(await restarted(home.dir))])).toEqual([]);
  });

  it.concurrent.each([2, 4])(
    'L6 EIO on fdatasync %i is fatal: nothing is acknowledged any more, and a restart finds what was',
    async (when) => {
      const { child, file } = await injected([`fdatasync:error=EIO:when=${when}`]);
      const acknowledged = when - 2;
      expect(acksOf(child.said)).toHaveLength(acknowledged);
      expect(rejectionsOf(child.said)).toEqual(Array.from({ length: 8 - acknowledged }, () => 'flush-failed'));
      await expectWhole(file, child);
    },
  );

  it.concurrent('L6 EIO on the fdatasync of a group commit is fatal for everybody who waits', async () => {
    const { child, file } = await injected(['fdatasync:error=EIO:when=2'], { writers: 4 }, { UV_THREADPOOL_SIZE: '1' });
    const outcomes = child.said.filter((line) => /^(ack|rejected)/.test(line)).map((line) => line.split(' ')[0]);
    const broken = outcomes.indexOf('rejected');
    expect(outcomes).toHaveLength(32);
    expect(outcomes.slice(broken)).not.toContain('ack');
    expect(new Set(rejectionsOf(child.said))).toEqual(new Set(['flush-failed']));
    await expectWhole(file, child);
  });

  it.concurrent.each([
    ['ftruncate', 'ftruncate:error=EIO'],
    ['fdatasync', 'fdatasync:error=EIO:when=4'],
  ])('L6 a failed write whose rolling back fails at %s is fatal', async (_, failing) => {
    const { child, file } = await injected(['write:error=EIO:when=3', failing]);
    expect(acksOf(child.said)).toHaveLength(2);
    expect(rejectionsOf(child.said)).toEqual(Array.from({ length: 6 }, () => 'flush-failed'));
    await expectWhole(file, child);
  });

  it.concurrent.each([
    'write:signal=SIGKILL:when=1',
    'write:signal=SIGKILL:when=5',
    'fdatasync:signal=SIGKILL:when=1',
    'fdatasync:signal=SIGKILL:when=4',
  ])('L3 after %s everything acknowledged is there', async (injection) => {
    const { child, file } = await injected([injection]);
    expect(child.said).not.toContain('done');
    await expectWhole(file, child);
  });

  it.concurrent.each([
    ['before the torn end is cut', 'ftruncate:signal=SIGKILL'],
    ['before the cut is flushed', 'fdatasync:signal=SIGKILL'],
    ['before the repair is recorded', 'write:signal=SIGKILL'],
  ])('R1 a kill %s leaves a ledger that the next start repairs, with the torn end kept aside', async (_, injection) => {
    const dir = freshFolder();
    const file = join(dir, '.oka', 'run_ledger.jsonl');
    const acks = [...(await restarted(dir)), ...(await restarted(dir))];
    appendFileSync(file, '{"seq":3,"type":"run.pau');
    const during = await finishedChild({ dir, label: 'during', appends: 1 }, { prefix: traced(file, [injection]) });
    expect(during.said).toEqual([]);
    acks.push(...(await restarted(dir)));
    expect(faultsOf(file, acks)).toEqual([]);
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
    const kept = execFileSync('sh', ['-c', 'cat .oka/quarantine/*.bin'], { cwd: dir, encoding: 'utf8' });
    expect(kept).toBe('{"seq":3,"type":"run.pau');
  });
});

describe('a limit on file size', () => {
  it('L6 a write cut short by the kernel and then refused is rolled back, and nothing acknowledged is lost', async () => {
    const dir = freshFolder();
    const file = join(dir, '.oka', 'run_ledger.jsonl');
    const limited = ['sh', '-c', 'ulimit -f 300; exec "$@"', 'sh'];
    const child = await finishedChild({ dir, label: 'l', appends: 30, text: 15_000 }, { prefix: limited });
    expect(acksOf(child.said).length).toBeGreaterThan(5);
    expect(new Set(rejectionsOf(child.said))).toEqual(new Set(['write-failed']));
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact', events: acksOf(child.said).length });
    await expectWhole(file, child);
  });
});

/** Starts it, kills it at a random moment, and returns what it had acknowledged. */
async function killed(task: ChildTask, random: Random): Promise<Ack[]> {
  const child = startChild(task);
  const sign = random.below(10);
  if (sign > 0) await child.says(sign < 4 ? 'open' : 'ack');
  await sleep(random.below(40));
  child.process.kill('SIGKILL');
  await child.ended;
  if (child.errors() !== '') throw new Error(child.errors());
  return acksOf(child.said);
}

/** Eight appends by each writer while system calls on the ledger file are tampered with. */
async function injected(
  injections: readonly string[],
  task: Partial<ChildTask> = {},
  env: Record<string, string> = {},
): Promise<{ child: Child; file: string }> {
  const dir = freshFolder();
  const file = join(dir, '.oka', 'run_ledger.jsonl');
  const child = await finishedChild(
    { dir, label: 'i', appends: 8, ...task },
    { prefix: traced(file, injections), env },
  );
  return { child, file };
}

function traced(file: string, injections: readonly string[]): string[] {
  const calls = 'write,fdatasync,ftruncate';
  const options = ['-f', '-qqq', '-o', '/dev/null', '-P', file, '-e', `trace=${calls}`];
  return ['strace', ...options, ...injections.flatMap((injection) => ['-e', `inject=${injection}`])];
}

/** A restart finds everything that was acknowledged, and nothing twice. */
async function expectWhole(file: string, child: Child): Promise<void> {
  const after = await restarted(join(file, '..', '..'));
  expect(faultsOf(file, [...acksOf(child.said), ...after]), child.errors()).toEqual([]);
  expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
}

/** Opens what is there in this process, and appends. */
async function restarted(dir: string): Promise<Ack[]> {
  const stores = await openStores(homeAt(dir), Config.parse({}));
  const name = `restarted-at-${stores.ledger.end.seq}`;
  const { seq } = await stores.ledger.append(noteOf(`${name} `));
  await stores.close();
  return [{ seq, name }];
}
