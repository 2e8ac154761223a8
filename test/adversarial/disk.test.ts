/** L6 and friendly refusals: full disks, folders that may not be written, things that are not files, files pulled away. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  fdatasyncSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { acksOf, faultsOf, finishedChild, rejectionsOf } from '../support/ledger-children.ts';
import { freshFolder, noteOf, openPlain } from '../support/ledger-samples.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';

const root = process.getuid?.() === 0;

describe.skipIf(!mayMount)('a full disk (needs the right to mount a small tmpfs)', () => {
  let disk = '';
  let file = '';
  beforeEach(() => {
    disk = freshFolder();
    file = join(disk, 'l.jsonl');
    mountSmall(disk);
  });
  afterEach(() => {
    unmount(disk);
  });

  it('L6 a full disk rejects the append, loses nothing, is recorded, and appending goes on once there is space', async () => {
    const ledger = await openPlain(file);
    const kept = [await ledger.append(noteOf('before'))];
    fill(disk);
    kept.push(...(await appendUntilFull(ledger)));
    await expect(ledger.append(noteOf('still full'))).rejects.toMatchObject({ code: 'disk-full' });
    const notes = (await typesIn(file)).slice(kept.length);
    expect(new Set(notes)).toEqual(new Set(['ledger.disk_full']));
    free(disk);
    kept.push(await ledger.append(noteOf('after')));
    await ledger.close();
    const lines = await Array.fromAsync(readEvents(file));
    expect(lines.map(({ type }) => type).slice(-3)).toEqual(['ledger.disk_full', 'run.paused', 'ledger.disk_freed']);
    for (const event of kept) expect(lines[event.seq - 1]?.data).toEqual(event.data);
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact', events: kept.length + notes.length + 1 });
  });

  it('L6 a batch that fits only in part is taken back whole', async () => {
    const ledger = await openPlain(file);
    await ledger.append(noteOf('before'));
    fill(disk, 100 * 1024);
    const large = Array.from({ length: 20 }, (_, index) => noteOf(`${index}${'x'.repeat(19_000)}`));
    await expect(ledger.append(large)).rejects.toMatchObject({ code: 'disk-full' });
    expect(await typesIn(file)).toEqual(['run.paused', 'ledger.disk_full']);
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact', events: 2 });
    await ledger.close();
  });

  it('L6 everybody who waits for a batch that does not fit hears of it', async () => {
    const ledger = await openPlain(file);
    fill(disk);
    await appendUntilFull(ledger);
    const outcomes = await Promise.allSettled([1, 2, 3].map((index) => ledger.append(noteOf(`${index}`))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    free(disk);
    const later = await Promise.all([4, 5, 6].map((index) => ledger.append(noteOf(`${index}`))));
    expect(new Set(later.map(({ seq }) => seq)).size).toBe(3);
    await ledger.close();
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
  });

  it('L6 what somebody staged and another flushed in vain is rejected when the first one flushes', async () => {
    const ledger = await openPlain(file);
    fill(disk);
    await appendUntilFull(ledger);
    const mine = ledger.stage(noteOf('mine'));
    await expect(ledger.append(noteOf('of another'))).rejects.toMatchObject({ code: 'disk-full' });
    await expect(ledger.flush([mine])).rejects.toMatchObject({ code: 'disk-full' });
    await ledger.close();
  });

  it('L6 without room for the reserve nothing is written, however small', async () => {
    const ledger = await openPlain(file, { reserveBytes: 256 * 1024 });
    fill(disk);
    await appendUntilFull(ledger);
    fill(disk);
    free(disk);
    fill(disk, 200 * 1024);
    await expect(ledger.append(noteOf('tiny'))).rejects.toMatchObject({ code: 'disk-full' });
    free(disk);
    await ledger.append(noteOf('tiny'));
    expect((await typesIn(file)).at(-1)).toBe('ledger.disk_freed');
    await ledger.close();
  });

  it('a ledger opened on a full disk says so, and opens when there is space, in the same process', async () => {
    await (await openPlain(file)).close();
    fill(disk);
    await expect(openPlain(file)).rejects.toMatchObject({ name: 'OkaError', code: 'disk-full' });
    free(disk);
    const ledger = await openPlain(file);
    await ledger.append(noteOf('after'));
    await ledger.close();
  });

  it('R1 a torn end is not cut while there is no room to keep it aside', async () => {
    const ledger = await openPlain(file);
    await ledger.append(noteOf('before'));
    await ledger.close();
    const torn = Buffer.concat([readFileSync(file), Buffer.from('{"seq":2,"ty'.padEnd(90_000, 'x'))]);
    writeFileSync(file, torn);
    rmSync(join(disk, 'state'), { recursive: true });
    fill(disk, 40 * 1024);
    await expect(openPlain(file)).rejects.toMatchObject({ name: 'OkaError', code: 'disk-full' });
    expect(readFileSync(file).equals(torn)).toBe(true);
    free(disk);
    const mended = await openPlain(file);
    expect(await typesIn(file)).toEqual(['run.paused', 'ledger.repaired']);
    await mended.close();
  });

  it('L6 a worker on a disk that fills up rejects and goes on living', async () => {
    mkdirSync(join(disk, '.oka'));
    writeFileSync(join(disk, 'fill'), Buffer.alloc(400 * 1024));
    const child = await finishedChild({ dir: disk, label: 'w', appends: 60, text: 15_000 });
    expect(child.errors()).toBe('');
    expect(child.said.at(-1)).toBe('done');
    expect(new Set(rejectionsOf(child.said))).toEqual(new Set(['disk-full']));
    free(disk);
    const after = await finishedChild({ dir: disk, label: 'a', appends: 1 });
    const acks = acksOf([...child.said, ...after.said]);
    expect(faultsOf(join(disk, '.oka', 'run_ledger.jsonl'), acks)).toEqual([]);
  });
});

describe.skipIf(!root)('folders that may not be written (needs root, to become somebody else)', () => {
  const somebody = { uid: 1000, gid: 1000 };
  const troubles: { what: string; make: (oka: string) => void; mend: (oka: string) => void }[] = [
    { what: 'a read-only folder', make: (oka) => chmodSync(oka, 0o555), mend: (oka) => chmodSync(oka, 0o755) },
    {
      what: 'a folder of somebody else',
      make: (oka) => chownSync(oka, 0, 0),
      mend: (oka) => chownSync(oka, 1000, 1000),
    },
    {
      what: 'a folder that may not even be read',
      make: (oka) => (chownSync(oka, 0, 0), chmodSync(oka, 0o700)),
      mend: (oka) => chownSync(oka, 1000, 1000),
    },
  ];

  it.concurrent.each(troubles)(
    'in $what nothing starts, the refusal says what to do, and it works when mended',
    async ({ make, mend }) => {
      const { dir, oka } = homeOfSomebody();
      make(oka);
      const refused = await finishedChild({ dir, label: 'x', appends: 1 }, somebody);
      expectRefusal(refused.said, refused.errors());
      mend(oka);
      const mended = await finishedChild({ dir, label: 'y', appends: 1 }, somebody);
      expect(acksOf(mended.said), mended.errors()).toHaveLength(1);
    },
  );

  it.concurrent.each([
    ['the ledger', 'run_ledger.jsonl'],
    ['the lock', 'locks/run_ledger.lock'],
    ['the folder of locks', 'locks'],
    ['the folder of the reserve', 'state'],
  ])('when %s belongs to somebody else nothing starts, nothing is lost, and it works when mended', async (_, name) => {
    const { dir, oka } = homeOfSomebody();
    const before = await finishedChild({ dir, label: 'b', appends: 2 }, somebody);
    expect(acksOf(before.said), before.errors()).toHaveLength(2);
    if (name === 'state') rmSync(join(oka, 'state', 'run.reserve'));
    chownSync(join(oka, name), 0, 0);
    const refused = await finishedChild({ dir, label: 'x', appends: 1 }, somebody);
    expectRefusal(refused.said, refused.errors());
    chownSync(join(oka, name), 1000, 1000);
    const mended = await finishedChild({ dir, label: 'y', appends: 1 }, somebody);
    expect(faultsOf(join(oka, 'run_ledger.jsonl'), acksOf([...before.said, ...mended.said]))).toEqual([]);
  });

  it.concurrent('R1 a torn end is not cut where the quarantine cannot be made', async () => {
    const { dir, oka } = homeOfSomebody();
    const before = await finishedChild({ dir, label: 'b', appends: 2 }, somebody);
    const file = join(oka, 'run_ledger.jsonl');
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"seq":3,`);
    const torn = readFileSync(file);
    chmodSync(oka, 0o555);
    const refused = await finishedChild({ dir, label: 'x', appends: 1 }, somebody);
    expectRefusal(refused.said, refused.errors());
    expect(readFileSync(file).equals(torn)).toBe(true);
    chmodSync(oka, 0o755);
    const mended = await finishedChild({ dir, label: 'y', appends: 1 }, somebody);
    expect(faultsOf(file, acksOf([...before.said, ...mended.said]))).toEqual([]);
    expect(await typesIn(file)).toEqual(['run.paused', 'run.paused', 'ledger.repaired', 'run.paused']);
  });

  function homeOfSomebody(): { dir: string; oka: string } {
    const dir = freshFolder();
    const oka = join(dir, '.oka');
    mkdirSync(oka);
    chmodSync(dir, 0o755);
    chownSync(oka, 1000, 1000);
    return { dir, oka };
  }

  function expectRefusal(said: readonly string[], errors: string): void {
    const [, code, words] = /^refused (\S+) (.*)$/.exec(said[0] ?? '') ?? [];
    expect(code, said[0] ?? errors).toBe('not-permitted');
    const { message, fix } = JSON.parse(words ?? '{}') as { message: string; fix?: string };
    expect(message).toMatch(/this user \(uid 1000\) may not access .*\.oka/);
    expect(fix).toMatch(/chown/);
  }
});

describe('things that are not files', () => {
  const things: { what: string; make: (path: string) => void }[] = [
    { what: 'a symbolic link', make: (path) => symlinkSync('elsewhere', path) },
    {
      what: 'a link to a regular file',
      make: (path) => (writeFileSync(`${path}.real`, ''), symlinkSync(`${path}.real`, path)),
    },
    { what: 'a pipe', make: (path) => execFileSync('mkfifo', [path]) },
    { what: 'a folder', make: (path) => mkdirSync(path) },
  ];

  it.each(things)(
    '$what in the place of the ledger is refused at once, for writing and for reading',
    async ({ make }) => {
      const file = join(freshFolder(), 'l.jsonl');
      make(file);
      const unsafe = { name: 'OkaError', code: 'unsafe-file' };
      await expect(openPlain(file)).rejects.toMatchObject(unsafe);
      await expect(verifyLedger(file)).rejects.toMatchObject(unsafe);
      await expect(Array.fromAsync(readEvents(file))).rejects.toMatchObject(unsafe);
      rmSync(file, { recursive: true });
      await (await openPlain(file)).close();
    },
  );

  it.each(things)('$what in the place of the lock is refused at once', async ({ make }) => {
    const file = join(freshFolder(), 'l.jsonl');
    const lock = join(dirname(file), 'locks', 'l.lock');
    mkdirSync(dirname(lock));
    make(lock);
    await expect(openPlain(file)).rejects.toMatchObject({ name: 'OkaError', code: 'unsafe-file' });
  });
});

describe('a file pulled away', () => {
  const tricks: { what: string; play: (file: string) => unknown }[] = [
    { what: 'truncated', play: (file) => truncateSync(file, statSync(file).size - 1) },
    { what: 'emptied', play: (file) => truncateSync(file, 0) },
    { what: 'written to by somebody else', play: (file) => writeFileSync(file, 'x', { flag: 'a' }) },
    { what: 'removed', play: (file) => rmSync(file) },
    { what: 'moved away', play: (file) => (renameSync(file, `${file}.moved`), after(2)) }, // paths are looked at every millisecond
    {
      what: 'replaced by a copy of itself',
      play: (file) => (copyFileSync(file, `${file}.copy`), renameSync(`${file}.copy`, file)),
    },
    { what: 'replaced by a link', play: (file) => (rmSync(file), symlinkSync('/dev/null', file)) },
  ];

  it.each(tricks)('a ledger that was $what while open takes no further event', async ({ play }) => {
    const file = join(freshFolder(), 'l.jsonl');
    const ledger = await openPlain(file);
    await ledger.append([noteOf('a'), noteOf('b')]);
    await play(file);
    await expect(ledger.append(noteOf('c'))).rejects.toMatchObject({ code: 'ledger-replaced' });
    await expect(ledger.append(noteOf('d'))).rejects.toMatchObject({ code: 'ledger-replaced' });
    await ledger.close();
  });
});

describe('a snapshot that cannot be written', () => {
  it('P2 costs no acknowledgement and no life', async () => {
    const dir = freshFolder();
    mkdirSync(join(dir, '.oka', 'active_task_graph.json', 'in the way'), { recursive: true });
    const child = await finishedChild({ dir, label: 's', appends: 3, snapshotEvents: 1 });
    expect(acksOf(child.said), child.errors()).toHaveLength(3);
  });
});

describe('a flush that fails', () => {
  const broken = new Error('EIO: i/o error, fdatasync');

  it('L6 whoever flushes while a failing flush is in flight is not told that all is well', async () => {
    const flight = Promise.withResolvers<void>();
    const ledger = await openPlain(join(freshFolder(), 'l.jsonl'), {
      flush: { now: fdatasyncSync, later: () => flight.promise },
    });
    ledger.stage(noteOf('staged by one'));
    const others = [ledger.append(noteOf('b')), ledger.append(noteOf('c'))];
    await new Promise((resolve) => setImmediate(resolve));
    const outcomes = Promise.allSettled([ledger.flush(), ...others, ledger.append(noteOf('d'))]);
    flight.reject(broken);
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'flush-failed' } });
    await expect(ledger.append(noteOf('e'))).rejects.toMatchObject({ code: 'flush-failed' });
  });

  it('L6 a flush that fails while a repair is recorded is reported as what it is, and the pen is free again', async () => {
    const file = join(freshFolder(), 'l.jsonl');
    await (await openPlain(file)).close();
    writeFileSync(file, '{"seq":1,"ty');
    let flushes = 0;
    const now = (): void => {
      flushes += 1;
      if (flushes > 1) throw broken;
    };
    await expect(openPlain(file, { flush: { now, later: async () => undefined } })).rejects.toMatchObject({
      code: 'flush-failed',
    });
    await (await openPlain(file)).close();
  });

  it('a refused ledger leaves no file open and no pen held', async () => {
    const file = join(freshFolder(), 'l.jsonl');
    const ledger = await openPlain(file);
    await ledger.append(noteOf('a'));
    await ledger.append(noteOf('b'));
    await ledger.close();
    writeFileSync(file, readFileSync(file).fill('x', 5, 6));
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let round = 0; round < 20; round += 1)
      await expect(openPlain(file)).rejects.toMatchObject({ code: 'ledger-damaged' });
    expect(open()).toBeLessThan(before + 10);
  });
});

/** Leaves `room` bytes free. */
function fill(disk: string, room = 0): void {
  const free = Number(execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).split('\n')[1]);
  writeFileSync(join(disk, `fill-${free}`), Buffer.alloc(Math.max(0, free - room)));
}

function free(disk: string): void {
  for (const name of readdirSync(disk)) if (name.startsWith('fill')) rmSync(join(disk, name));
}

/** The last page of the file may still have room for some. */
async function appendUntilFull(ledger: Ledger): Promise<Event[]> {
  const written: Event[] = [];
  for (let index = 0; ; index += 1) {
    try {
      written.push(await ledger.append(noteOf(`${index}${'x'.repeat(500)}`)));
    } catch (error) {
      expect(error).toMatchObject({ name: 'OkaError', code: 'disk-full' });
      return written;
    }
  }
}

async function typesIn(file: string): Promise<string[]> {
  return (await Array.fromAsync(readEvents(file))).map(({ type }) => type);
}
