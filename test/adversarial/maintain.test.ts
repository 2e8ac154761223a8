/** Maintenance under processes that die, disks that are full and others that want the same. OKA_KILLS=100 kills more often. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { maintainOnce } from '../../src/rooms/maintenance/maintain.ts';
import { rebuildMaintenance } from '../../src/rooms/maintenance/rebuild.ts';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { randomFrom } from '../support/ledger-samples.ts';
import { conclusions, dumpOf, happenings, maintainedHome, testParts, writtenPages } from '../support/maintain.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';
import { scaled } from '../support/thorough.ts';

const never = new AbortController().signal;
const childScript = fileURLToPath(new URL('../support/maintain-child.ts', import.meta.url));
const LIVES = Number(process.env['OKA_KILLS'] ?? scaled(20));

type Life = { child: ChildProcess; heard: (word: string) => Promise<string>; tell: (word: string) => void };
const lives = new Set<ChildProcess>();
afterEach(() => {
  for (const child of lives) child.kill('SIGKILL');
});

function born(home: Home, ...words: string[]): Life {
  const child = spawn(process.execPath, [childScript, home.dir, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'oka-test-compiled') },
  });
  lives.add(child);
  child.once('exit', () => lives.delete(child));
  const said: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines);
  });
  const heard = async (word: string): Promise<string> => {
    for (;;) {
      const found = said.find((line) => line.includes(word));
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`it ended: ${said.join('\n')}`);
      await sleep(2);
    }
  };
  return { child, heard, tell: (word) => void child.stdin.write(`${word}\n`) };
}

async function ended({ child }: Life): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

describe('maintenance', () => {
  it(`killed at ${LIVES} random points loses nothing and doubles nothing: its twin has the same book`, {
    timeout: 60_000 + LIVES * 10_000,
  }, async () => {
    await using it = await maintainedHome();
    const random = randomFrom(8);
    let events = 0;
    let next = born(it.home);
    for (let life = 0; life < LIVES; life += 1) {
      const now = next;
      next = born(it.home); // gets ready while the one before works
      const some = random.between(50, 900);
      await it.ledger.append(happenings(events, some));
      events += some;
      await now.heard('ready');
      now.tell('go');
      await sleep(random.below(120));
      now.child.kill('SIGKILL');
      await ended(now);
    }
    next.child.kill('SIGKILL');
    await maintainOnce(it.home, never, { parts: testParts });
    await using twin = await undisturbed(it.home);
    expect(await verifyLedger(it.home.ledgers.maintenance)).toMatchObject({ state: 'intact' });
    expect(await conclusions(it.home)).toEqual(await conclusions(twin.home));
    const [live, other] = [dumpOf(it.home), dumpOf(twin.home)];
    expect(without(live.entries, 'order')).toEqual(without(other.entries, 'order'));
    for (let run = 0; run < 7; run += 1) expect(pageOf(it.home, run)).toBe(pageOf(twin.home, run));
    await rebuildMaintenance(it.home, await loadConfig(it.home), never, { parts: testParts });
    expect(dumpOf(it.home)).toEqual(live);
  });

  it('two processes at once: the second is refused in one line, and the first goes on', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    const first = born(it.home);
    first.tell('serve');
    await first.heard('ready');
    const second = born(it.home);
    // Whoever only asks does not take the pen from the first one.
    await expect.poll(() => penHolder(it.home.ledgers.maintenance)?.pid, { timeout: 120_000 }).toBe(first.child.pid);
    expect(await refusedOnce(it.home)).toContain('is being written by process');
    second.tell('go');
    expect(await second.heard('failed')).toContain(`is being written by process ${first.child.pid}`);
    first.child.kill('SIGTERM');
    await ended(first);
    second.tell('go');
    await second.heard('done');
    expect(await conclusions(it.home)).toHaveLength(7 * 1);
  });

  it('each time is told once, whenever a process dies and wherever the clock jumps', async () => {
    await using it = await maintainedHome();
    setTimes(it.home, '* * * * *');
    await it.ledger.append(happenings(0, 300));
    const random = randomFrom(3);
    const met = async (day: string): Promise<void> => {
      const life = born(it.home, day);
      await life.heard('ready');
      life.tell('serve');
      await expect
        .poll(async () => (await slotsOf(it.home)).at(-1)?.slot ?? '', { timeout: 60_000, interval: 10 })
        .toBe(new Date(Date.parse(day) + 500).toISOString());
      life.child.kill(random.chance(0.5) ? 'SIGKILL' : 'SIGTERM');
      await ended(life);
    };
    const broken = async (day: string): Promise<void> => {
      const life = born(it.home, day);
      await life.heard('ready');
      life.tell('serve');
      await sleep(random.below(900));
      life.child.kill('SIGKILL');
      await ended(life);
    };
    await met('2026-03-29T00:59:59.500Z'); // the clocks of Europe change
    await broken('2026-03-29T01:59:59.500Z');
    await broken('2026-03-28T22:00:00.000Z'); // set back
    await broken('2026-03-29T02:29:59.500Z');
    await met('2026-03-29T02:59:59.500Z');
    const slots = await slotsOf(it.home);
    const minutes = Array.from({ length: 121 }, (_, n) => new Date(Date.UTC(2026, 2, 29, 1, n)).toISOString());
    expect(slots.map(({ slot }) => slot)).toEqual(minutes);
    expect(slots[0]?.how).toBe('ran');
    expect(slots.filter(({ how }) => how === 'missed').length).toBeGreaterThan(100);
    const known = await conclusions(it.home);
    expect(new Set(known).size).toBe(known.length);
  });

  it.skipIf(process.getuid?.() === 0)(
    'a folder that is read-only is one clear line, and the next pass goes on',
    async () => {
      await using it = await maintainedHome();
      await it.ledger.append(happenings(0, 70));
      chmodSync(join(it.home.oka, 'brain'), 0o500);
      await expect(maintainOnce(it.home, never, { parts: testParts })).rejects.toThrow(
        /this user .* may not access .*brain/,
      );
      chmodSync(join(it.home.oka, 'brain'), 0o700);
      expect(await maintainOnce(it.home, never, { parts: testParts })).toMatchObject({ isWhole: true, concluded: 0 });
    },
  );
});

describe.skipIf(!mayMount)('maintenance on a full disk (needs the right to mount a small tmpfs)', () => {
  it('says so in one line, and goes on when there is space', async () => {
    await using it = await maintainedHome();
    const place = join(it.home.oka, 'maintenance');
    mountSmall(place);
    try {
      await it.ledger.append(happenings(0, 200));
      await maintainOnce(it.home, never, { parts: testParts });
      await it.ledger.append(happenings(200, 4000));
      const filling = join(place, 'filling');
      fill(filling);
      await expect(maintainOnce(it.home, never, { parts: testParts })).rejects.toThrow(
        /no space left|disk is (still )?full|ENOSPC/,
      );
      rmSync(filling);
      execFileSync('mount', ['-o', 'remount,size=64m', place]);
      expect(await maintainOnce(it.home, never, { parts: testParts })).toMatchObject({ isWhole: true });
      await using twin = await undisturbed(it.home);
      expect(await conclusions(it.home)).toEqual(await conclusions(twin.home));
      expect(without(dumpOf(it.home).entries, 'order')).toEqual(without(dumpOf(twin.home).entries, 'order'));
    } finally {
      unmount(place);
    }
  });
});

function fill(file: string): void {
  const fd = openSync(file, 'w');
  try {
    for (const size of [65_536, 4096, 256]) while (isWritten(fd, size));
  } finally {
    closeSync(fd);
  }
}

function isWritten(fd: number, size: number): boolean {
  try {
    return writeSync(fd, Buffer.alloc(size)) === size;
  } catch {
    return false;
  }
}

/** The same run ledger, and one pass that nobody disturbs. */
async function undisturbed(home: Home): Promise<{ home: Home; [Symbol.asyncDispose](): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'oka-twin-'));
  const twin = homeAt(dir);
  cpSync(home.dir, dir, {
    recursive: true,
    filter: (path) => !/\.oka\/(maintenance|brain|memory|locks)(\/|$)/.test(path),
  });
  await maintainOnce(twin, never, { parts: testParts });
  return { home: twin, [Symbol.asyncDispose]: async () => rmSync(dir, { recursive: true, force: true }) };
}

const pageOf = (home: Home, run: number): string =>
  readFileSync(join(home.oka, 'brain', `LEARNINGS-r${run}.md`), 'utf8');

const without = (entries: Record<string, string>, key: string): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([each]) => each !== key));

async function refusedOnce(home: Home): Promise<string> {
  return maintainOnce(home, never, { parts: testParts }).then(
    () => '',
    (error: Error) => error.message,
  );
}

async function slotsOf(home: Home): Promise<{ slot: string; how: string }[]> {
  return (await writtenPages(home)).flatMap((event) => (event.type === 'slot.came' ? [event.data] : []));
}

function setTimes(home: Home, learn: string): void {
  writeFileSync(home.config, JSON.stringify({ maintenance: { slots: { learn } } }));
}
