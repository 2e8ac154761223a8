import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;
let home: Home;
beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', join(folder.dir, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  home = homeAt(join(folder.dir, 'home'));
  mkdirSync(home.dir);
  setUp(home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

async function append(at: Home, count: number): Promise<void> {
  const stores = await openStores(at, await loadConfig(at));
  for (let each = 0; each < count; each += 1)
    await stores.ledger.append({ type: 'run.paused', run: 'r1', data: { reason: `${each}` } });
  await stores.close();
}

const openAndClose = async (at: Home): Promise<void> => append(at, 0);

const lines = (): string[] => readFileSync(home.ledgers.run, 'utf8').split(/(?<=\n)/);
const endOfLine = (line: number): number => Buffer.byteLength(lines().slice(0, line).join(''));

describe('the end of the ledger has an anchor', () => {
  it.each([
    ['emptied', () => truncateSync(home.ledgers.run, 0), 0],
    ['removed', () => rmSync(home.ledgers.run), 0],
    ['cut at the end of a line', () => truncateSync(home.ledgers.run, endOfLine(4)), 4],
    ['cut within a line', () => truncateSync(home.ledgers.run, endOfLine(4) + 20), 4],
  ])('a ledger that was %s is refused, and nothing is changed', async (_, damage, left) => {
    await append(home, 10);
    damage();
    const before = existsSync(home.ledgers.run) ? readFileSync(home.ledgers.run) : null;
    await expect(openAndClose(home)).rejects.toMatchObject({
      code: 'ledger-rolled-back',
      message: expect.stringContaining(`ends at event ${left}, but event 10 was recorded`) as string,
    });
    expect(existsSync(home.ledgers.run) ? readFileSync(home.ledgers.run) : null).toEqual(before);
  });

  it('an older copy of the complete .oka folder is refused', async () => {
    await append(home, 5);
    cpSync(home.oka, join(folder.dir, 'backup'), { recursive: true, verbatimSymlinks: true });
    await append(home, 5);
    rmSync(home.oka, { recursive: true });
    renameSync(join(folder.dir, 'backup'), home.oka);
    await expect(openAndClose(home)).rejects.toThrow(/ends at event 5, but event 10 .*5 events are missing/);
  });

  it('a ledger with other events in the same places is refused', async () => {
    await append(home, 10);
    const other = homeAt(join(folder.dir, 'other'));
    mkdirSync(other.dir);
    setUp(other);
    await append(other, 12);
    cpSync(other.ledgers.run, home.ledgers.run);
    await expect(openAndClose(home)).rejects.toThrow(/contains another history/);
  });

  it('is noted in the snapshot, beside the pen and outside the home: each of them is enough', async () => {
    await append(home, 10);
    const [notes = ''] = readdirSync(join(folder.dir, 'state', 'oka', 'homes'));
    const places = {
      snapshot: join(home.oka, 'active_task_graph.json'),
      pen: join(home.oka, 'locks', 'run_ledger.head.json'),
      notes: join(folder.dir, 'state', 'oka', 'homes', notes, 'run_ledger.head.json'),
    };
    truncateSync(home.ledgers.run, endOfLine(9));
    using copies = temporaryFolder();
    for (const left of Object.keys(places)) {
      const copy = join(copies.dir, left);
      cpSync(folder.dir, copy, { recursive: true, verbatimSymlinks: true });
      for (const [place, file] of Object.entries(places)) if (place !== left) rmSync(file);
      if (left === 'snapshot') rmSync(join(folder.dir, 'config'), { recursive: true });
      await expect(openAndClose(home), left).rejects.toMatchObject({ code: 'ledger-rolled-back' });
      for (const name of ['home', 'state', 'config']) {
        rmSync(join(folder.dir, name), { recursive: true, force: true });
        cpSync(join(copy, name), join(folder.dir, name), { recursive: true, verbatimSymlinks: true });
      }
    }
    for (const file of Object.values(places)) rmSync(file);
    rmSync(join(folder.dir, 'config'), { recursive: true });
    await openAndClose(home); // with none of them it could not be known
  });

  it('is written at a start only if one of its copies does not name the last event, signed', async () => {
    await append(home, 3);
    const [notes = ''] = readdirSync(join(folder.dir, 'state', 'oka', 'homes'));
    const inNotes = join(folder.dir, 'state', 'oka', 'homes', notes, 'run_ledger.head.json');
    const besidePen = join(home.oka, 'locks', 'run_ledger.head.json');
    const written = readFileSync(inNotes, 'utf8');
    await openAndClose(home);
    expect([inNotes, besidePen].map((file) => readFileSync(file, 'utf8'))).toEqual([written, written]);
    for (const file of [inNotes, besidePen]) {
      rmSync(file);
      await openAndClose(home);
      expect(readFileSync(inNotes, 'utf8')).toBe(readFileSync(besidePen, 'utf8'));
      expect(readFileSync(file, 'utf8')).toContain('"seq":3');
    }
    const unsigned = JSON.stringify({ ...(JSON.parse(written) as object), signature: null });
    for (const file of [inNotes, besidePen]) writeFileSync(file, unsigned);
    await openAndClose(home);
    expect(readFileSync(besidePen, 'utf8')).not.toContain('"signature":null');
  });

  it('a ledger that is ahead of its anchors is opened: a crash leaves it so', async () => {
    await append(home, 3);
    const copy = join(folder.dir, 'copy');
    cpSync(join(folder.dir, 'state'), copy, { recursive: true });
    await append(home, 3);
    rmSync(join(folder.dir, 'state'), { recursive: true });
    renameSync(copy, join(folder.dir, 'state'));
    await append(home, 1);
    expect(lines()).toHaveLength(7);
  });

  it('verify and doctor report what is missing', async () => {
    await append(home, 10);
    expect((await oka('verify', '--dir', home.dir)).out).toContain('complete up to event 10, signed');
    truncateSync(home.ledgers.run, endOfLine(4));
    const verified = await oka('verify', '--dir', home.dir);
    expect(verified).toMatchObject({ code: 1, out: expect.stringContaining('6 events are missing') as string });
    expect((await oka('doctor', '--dir', home.dir)).out).toContain('oka ledger accept-rollback');
  });

  it('a person can accept the loss, which is recorded, and work goes on', async () => {
    await append(home, 10);
    truncateSync(home.ledgers.run, endOfLine(4));
    const accepted = await oka('ledger', 'accept-rollback', '--dir', home.dir);
    expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining('6 events') as string });
    await append(home, 1);
    expect((await oka('verify', '--dir', home.dir)).code).toBe(0);
    const recorded = await Array.fromAsync(readEvents(home.ledgers.run, { type: 'ledger.rolled_back' }));
    expect(recorded).toMatchObject([{ data: { expected: { seq: 10 }, found: { seq: 4 }, missing: 6 } }]);
    expect((await oka('ledger', 'accept-rollback', '--dir', home.dir)).out).toContain('Nothing is missing');
  });
});

describe('the anchor is signed by the key of the home', () => {
  /** What somebody can do who writes .oka, but neither the state folder nor that of the keys. */
  const penFile = (): string => join(home.oka, 'locks', 'run_ledger.head.json');

  it('which is made once, beside the key of the vault, for this user only', async () => {
    await append(home, 1);
    const [name = ''] = readdirSync(join(folder.dir, 'config', 'oka', 'homes'));
    const file = join(folder.dir, 'config', 'oka', 'homes', name);
    const before = readFileSync(file, 'utf8');
    await append(home, 1);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await oka('doctor', '--dir', home.dir)).out).toMatch(/signed by oka-ed25519:[\w-]{43}/);
  });

  it('where there are no notes outside the home, an anchor without that signature, or none, is refused', async () => {
    await append(home, 5);
    rmSync(join(folder.dir, 'state'), { recursive: true });
    writeFileSync(join(folder.dir, 'state'), 'no folder can be made here');
    await append(home, 1);
    const anchor = JSON.parse(readFileSync(penFile(), 'utf8')) as object;
    writeFileSync(penFile(), JSON.stringify({ ...anchor, signature: null }));
    await expect(openAndClose(home)).rejects.toThrow(/not signed by/);
    rmSync(penFile());
    await expect(openAndClose(home)).rejects.toThrow(/is missing/);
    expect((await oka('ledger', 'accept-rollback', '--dir', home.dir)).code).toBe(0);
    await append(home, 1);
  });

  it('where neither notes nor a key can be written, work goes on and doctor reports what that means', async () => {
    const blocked = join(folder.dir, 'a file');
    writeFileSync(blocked, 'no folder can be made in it');
    vi.stubEnv('XDG_STATE_HOME', join(blocked, 'state'));
    vi.stubEnv('XDG_CONFIG_HOME', join(blocked, 'config'));
    await append(home, 3);
    const { out } = await oka('doctor', '--dir', home.dir);
    expect(out).toContain('noted inside .oka only');
    expect(out).toContain('not signed');
    truncateSync(home.ledgers.run, endOfLine(2));
    await expect(openAndClose(home)).rejects.toMatchObject({ code: 'ledger-rolled-back' });
  });
});

describe('notes about a home', () => {
  it('move with a home that was moved', async () => {
    await append(home, 5);
    const moved = homeAt(join(folder.dir, 'moved'));
    renameSync(home.dir, moved.dir);
    rmSync(join(moved.oka, 'active_task_graph.json'));
    rmSync(join(moved.oka, 'locks'), { recursive: true });
    truncateSync(moved.ledgers.run, 0);
    await expect(openAndClose(moved)).rejects.toMatchObject({ code: 'ledger-rolled-back' });
    expect(readdirSync(join(folder.dir, 'state', 'oka', 'homes'))).toHaveLength(1);
  });

  it('a copy of a home has its own', async () => {
    await append(home, 5);
    const copy = homeAt(join(folder.dir, 'copy'));
    cpSync(home.dir, copy.dir, { recursive: true, verbatimSymlinks: true });
    await append(home, 5);
    await append(copy, 3);
    await append(home, 1);
    expect(readdirSync(join(folder.dir, 'state', 'oka', 'homes'))).toHaveLength(2);
  });

  it('a copy that came without its locks opens if it contains all that was noted about its original', async () => {
    await append(home, 5);
    const copies = ['behind', 'complete'].map((name) => homeAt(join(folder.dir, name)));
    for (const copy of copies) {
      cpSync(home.dir, copy.dir, { recursive: true, verbatimSymlinks: true });
      rmSync(join(copy.oka, 'locks'), { recursive: true });
    }
    const [behind, complete] = copies as [Home, Home];
    await append(complete, 3);
    expect((await oka('verify', '--dir', complete.dir)).out).toContain('complete up to event 8, signed');
    const third = homeAt(join(folder.dir, 'third'));
    cpSync(home.dir, third.dir, { recursive: true, verbatimSymlinks: true });
    rmSync(join(third.oka, 'locks'), { recursive: true });
    await append(third, 1); // although another copy has gone further
    await append(home, 5);
    await expect(openAndClose(behind)).rejects.toThrow(/ends at event 5, but event 10 .*5 events are missing/);
  });

  it('what somebody else wrote into the notes of the original attests nothing', async () => {
    await append(home, 5);
    const copy = homeAt(join(folder.dir, 'copy'));
    cpSync(home.dir, copy.dir, { recursive: true, verbatimSymlinks: true });
    rmSync(join(copy.oka, 'locks'), { recursive: true });
    const [notes = ''] = readdirSync(join(folder.dir, 'state', 'oka', 'homes'));
    const noted = join(folder.dir, 'state', 'oka', 'homes', notes, 'run_ledger.head.json');
    const anchor = JSON.parse(readFileSync(noted, 'utf8')) as object;
    writeFileSync(noted, JSON.stringify({ ...anchor, signature: null }));
    await expect(openAndClose(copy)).rejects.toThrow(/is missing/);
  });

  it('another home in the place of this one is refused', async () => {
    await append(home, 5);
    const id = join(home.oka, 'home.json');
    chmodSync(id, 0o600);
    writeFileSync(id, JSON.stringify({ id: '0'.repeat(32) }));
    await expect(openAndClose(home)).rejects.toThrow(/is now the home 00000000/);
  });
});
