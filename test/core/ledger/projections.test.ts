import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ledger, openLedger } from '../../../src/core/ledger/ledger.ts';
import { START } from '../../../src/core/ledger/line.ts';
import { type SavePace, Projections } from '../../../src/core/ledger/projections.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Projection } from '../../../src/core/schema/ports.ts';
import { freshFolder, noteOf } from '../../support/ledger-samples.ts';

type Notes = { seqs: number[]; notes: Record<string, string> };

/** Keeps a note for every run and renders each as a file; a run that ended has none. */
const notes: Projection<Notes> = {
  name: 'notes',
  version: 1,
  file: 'notes.json',
  initial: () => ({ seqs: [], notes: {} }),
  apply: (state, event) => {
    state.seqs.push(event.seq);
    if (event.type === 'run.paused' && event.run !== null) state.notes[event.run] = event.data.reason;
    if (event.type === 'run.ended' && event.run !== null) delete state.notes[event.run];
    return state;
  },
  render: (state) => new Map(Object.entries(state.notes).map(([run, text]) => [`notes/${run}.md`, `${text}\n`])),
};
const count: Projection<{ events: number }> = {
  name: 'count',
  version: 1,
  file: 'count.json',
  initial: () => ({ events: 0 }),
  apply: (state) => ({ events: state.events + 1 }),
};

const never: SavePace = { events: 1_000_000, ms: 60_000 };
const ended = (run: string): NewEvent => ({ type: 'run.ended', run, data: { status: 'done', reason: '' } });

type Kept = {
  ledger: Ledger;
  projections: Projections;
  applied: number[];
  restarts: number;
  close: () => Promise<void>;
};

/** Opens ledger and projections the way the daemon does, noting which events had to be folded again. */
async function openKept(folder: string, kept: readonly Projection<unknown>[] = [notes], pace = never): Promise<Kept> {
  const projections = new Projections(folder, kept, pace);
  const applied: number[] = [];
  let restarts = 0;
  const ledger = await openLedger(join(folder, 'run_ledger.jsonl'), 'run', {
    redact: (text) => text,
    from: projections.position,
    onRestart: () => {
      restarts += 1;
      projections.restart();
    },
    onLine: (line) => {
      applied.push(line.seq);
      projections.apply(line);
    },
    onBatch: (events, end) => projections.follow(events, end),
  });
  projections.setPosition(ledger.end);
  const close = async (): Promise<void> => {
    projections.save();
    await ledger.close();
  };
  return { ledger, projections, applied, restarts, close };
}

/** A folder whose ledger holds three notes, the snapshot of which was saved. */
async function threeNotes(): Promise<string> {
  const folder = freshFolder();
  const { ledger, close } = await openKept(folder);
  await ledger.append([noteOf('one', 'r1'), noteOf('two', 'r2')]);
  await ledger.append(noteOf('three', 'r3'));
  await close();
  return folder;
}

const folded: Notes = { seqs: [1, 2, 3], notes: { r1: 'one', r2: 'two', r3: 'three' } };
const snapshotOf = (folder: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, 'notes.json'), 'utf8')) as Record<string, unknown>;
const rewrite = (folder: string, change: (snapshot: Record<string, unknown>) => object): void =>
  writeFileSync(join(folder, 'notes.json'), JSON.stringify({ ...snapshotOf(folder), ...change(snapshotOf(folder)) }));

describe('P1 a snapshot that fits', () => {
  it('names its projection, the record it includes and the sum of its state', async () => {
    const folder = await threeNotes();
    const { ledger, close } = await openKept(folder);
    expect(snapshotOf(folder)).toEqual({
      projection: 'notes',
      version: 1,
      ...ledger.end,
      files: expect.any(Array),
      sum: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: folded,
    });
    await close();
  });

  it('is folded on: nothing before it is read again', async () => {
    const folder = await threeNotes();
    const behind = await openKept(folder, []);
    await behind.ledger.append(noteOf('four', 'r4'));
    await behind.close();
    const { projections, applied, close } = await openKept(folder);
    expect(applied).toEqual([4]);
    expect(projections.stateOf(notes)).toEqual({ seqs: [1, 2, 3, 4], notes: { ...folded.notes, r4: 'four' } });
    await close();
  });
});

describe('P1 a snapshot that does not fit is thrown away and made anew', () => {
  const other = '1'.repeat(64);
  const falsified: [what: string, change: (snapshot: Record<string, unknown>) => object][] = [
    ['a changed state', () => ({ state: { ...folded, notes: { r1: 'forged' } } })],
    ['a state that is gone', () => ({ state: undefined })],
    ['a wrong sum', () => ({ sum: other })],
    ['another version', () => ({ version: 2 })],
    ['the name of another projection', () => ({ projection: 'count' })],
    ['the hash of another record', () => ({ hash: other })],
    ['another seq', () => ({ seq: 2 })],
    ['a seq in words', () => ({ seq: '3' })],
    ['a seq beyond the end', () => ({ seq: 99, offset: 1_000_000 })],
    ['an offset within a record', ({ offset }) => ({ offset: (offset as number) - 5 })],
    ['an offset before the beginning', () => ({ offset: -1 })],
  ];

  it.each(falsified)('%s', async (_, change) => {
    const folder = await threeNotes();
    const before = readFileSync(join(folder, 'notes.json'));
    rewrite(folder, change);
    const { projections, applied, close } = await openKept(folder);
    expect(applied).toEqual([1, 2, 3]);
    expect(projections.stateOf(notes)).toEqual(folded);
    await close();
    expect(readFileSync(join(folder, 'notes.json'))).toEqual(before);
  });

  it.each(['', 'no JSON', 'null', '5', '[]', '{"projection":"notes"'])('%j in place of it', async (text) => {
    const folder = await threeNotes();
    writeFileSync(join(folder, 'notes.json'), text);
    const { projections, close } = await openKept(folder);
    expect(projections.stateOf(notes)).toEqual(folded);
    await close();
  });

  it('a symbolic link in place of it, which is replaced and not followed', async () => {
    const folder = await threeNotes();
    const elsewhere = join(freshFolder(), 'elsewhere.json');
    writeFileSync(elsewhere, readFileSync(join(folder, 'notes.json')));
    rmSync(join(folder, 'notes.json'));
    symlinkSync(elsewhere, join(folder, 'notes.json'));
    const { applied, ledger, close } = await openKept(folder);
    expect(applied).toEqual([1, 2, 3]);
    await ledger.append(noteOf('four', 'r4'));
    await close();
    expect(statSync(elsewhere).size).toBeLessThan(statSync(join(folder, 'notes.json')).size);
  });

  it('one of a ledger that was exchanged for another', async () => {
    const folder = await threeNotes();
    const stranger = await threeNotes();
    const later = await openKept(stranger);
    await later.ledger.append(noteOf('four', 'r4'));
    await later.close();
    writeFileSync(join(folder, 'notes.json'), readFileSync(join(stranger, 'notes.json')));
    const { projections, applied, restarts, close } = await openKept(folder);
    expect(applied).toEqual([1, 2, 3]);
    expect(projections.stateOf(notes)).toEqual(folded);
    expect(restarts).toBe(1);
    await close();
  });

  it('and so is that of a projection whose version has risen', async () => {
    const folder = await threeNotes();
    const { applied, close } = await openKept(folder, [{ ...notes, version: 2 }]);
    expect(applied).toEqual([1, 2, 3]);
    await close();
    expect(snapshotOf(folder)).toMatchObject({ version: 2, state: folded });
  });
});

describe('several projections', () => {
  it('are read from the one that is furthest behind, and none folds an event twice', async () => {
    const folder = await threeNotes();
    const { projections, applied, close } = await openKept(folder, [notes, count]);
    expect(applied).toEqual([1, 2, 3]);
    expect(projections.stateOf(notes)).toEqual(folded);
    expect(projections.stateOf(count)).toEqual({ events: 3 });
    await close();
  });

  it('are known only when they were named', async () => {
    const projections = new Projections(freshFolder(), [notes], never);
    expect(() => projections.stateOf(count)).toThrow('projection count is not registered here');
    expect(projections.position).toEqual(START);
  });
});

describe('projections without a file of their own', () => {
  const { file: _, ...shared } = notes;
  const { file: __, ...sharedCount } = count;
  const file = 'state/projections.jsonl';
  const both = [shared, sharedCount];

  async function threeShared(): Promise<string> {
    const folder = freshFolder();
    const { ledger, close } = await openKept(folder, both);
    await ledger.append([noteOf('one', 'r1'), noteOf('two', 'r2'), noteOf('three', 'r3')]);
    await close();
    return folder;
  }

  it('share one, and each is folded on from there, also alone', async () => {
    const folder = await threeShared();
    expect(readdirSync(join(folder, 'state')).filter((name) => name.endsWith('.jsonl'))).toEqual(['projections.jsonl']);
    for (const some of [both, [shared], [sharedCount]])
      expect(new Projections(folder, some, never).position.seq).toBe(3);
    const { applied, ledger } = await openKept(folder, both);
    expect(applied).toEqual([]);
    await ledger.close();
  });

  it.each([
    ['the position of another record', (text: string) => text.replace('"seq":3', '"seq":2')],
    ['a changed state', (text: string) => text.replace('"r1":"one"', '"r1":"forged"')],
    ['a line that is gone', (text: string) => text.split('\n').slice(0, 2).join('\n')],
    ['a torn line', (text: string) => text.slice(0, -20)],
    ['no position', (text: string) => text.split('\n').slice(1).join('\n')],
    ['nothing', () => ''],
  ])('%s in it: all are made again, byte for byte', async (__, change) => {
    const folder = await threeShared();
    const before = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), change(before));
    const { projections, applied, close } = await openKept(folder, both);
    expect(applied).toEqual([1, 2, 3]);
    expect(projections.stateOf(shared)).toEqual(folded);
    await close();
    expect(readFileSync(join(folder, file), 'utf8')).toEqual(before);
  });

  it('leave no file of an older version behind, which had one for each', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'state'));
    for (const name of ['notes', 'count', 'other']) writeFileSync(join(folder, 'state', `${name}.json`), '{}');
    await (await openKept(folder, both)).close();
    const left = readdirSync(join(folder, 'state')).filter((name) => name.endsWith('.json'));
    expect(left).toEqual(['other.json']);
  });
});

describe('the files', () => {
  it('are written at once when enough events came', async () => {
    const folder = freshFolder();
    const { ledger, close } = await openKept(folder, [notes], { events: 2, ms: 60_000 });
    await ledger.append(noteOf('one', 'r1'));
    expect(existsSync(join(folder, 'notes.json'))).toBe(false);
    await ledger.append(noteOf('two', 'r2'));
    expect(snapshotOf(folder)).toMatchObject({ seq: 2, hash: ledger.end.hash });
    await close();
  });

  it('hold one rendered file for every entry, and lose those that are gone', async () => {
    const folder = await threeNotes();
    expect(contentsOf(join(folder, 'notes'))).toEqual({ 'r1.md': 'one\n', 'r2.md': 'two\n', 'r3.md': 'three\n' });
    const { ledger, projections, close } = await openKept(folder);
    await ledger.append([ended('r1'), noteOf('changed', 'r2')]);
    projections.save();
    expect(contentsOf(join(folder, 'notes'))).toEqual({ 'r2.md': 'changed\n', 'r3.md': 'three\n' });
    await close();
  });

  it('that did not change are not written again', async () => {
    const folder = await threeNotes();
    const before = statSync(join(folder, 'notes', 'r1.md')).ino;
    const { ledger, close } = await openKept(folder);
    await ledger.append(noteOf('changed', 'r2'));
    await close();
    expect(statSync(join(folder, 'notes', 'r1.md')).ino).toBe(before);
  });

  it('that somebody changed or removed are mended', async () => {
    const folder = await threeNotes();
    writeFileSync(join(folder, 'notes', 'r1.md'), 'forged');
    rmSync(join(folder, 'notes', 'r2.md'));
    await (await openKept(folder)).close();
    expect(contentsOf(join(folder, 'notes'))).toEqual({ 'r1.md': 'one\n', 'r2.md': 'two\n', 'r3.md': 'three\n' });
  });

  it('leave what is not theirs alone', async () => {
    const folder = await threeNotes();
    writeFileSync(join(folder, 'notes', 'mine.md'), 'mine');
    const { ledger, close } = await openKept(folder);
    await ledger.append([ended('r1'), ended('r2'), ended('r3')]);
    await close();
    expect(contentsOf(join(folder, 'notes'))).toEqual({ 'mine.md': 'mine' });
  });

  it('are erased, and P3 made again byte for byte', async () => {
    const folder = freshFolder();
    for (const batch of [[noteOf('one', 'r1'), noteOf('two', 'r2')], [ended('r1')], [noteOf('three', 'r3')]]) {
      const { ledger, close } = await openKept(folder, [notes, count], { events: 1, ms: 60_000 });
      await ledger.append(batch);
      await close();
    }
    const files = ['notes.json', 'count.json', 'notes/r2.md', 'notes/r3.md'].map((file) => join(folder, file));
    const before = files.map((file) => readFileSync(file, 'utf8'));
    const projections = new Projections(folder, [notes, count], never);
    projections.deleteFiles();
    expect(files.filter((file) => existsSync(file))).toEqual([]);
    await (await openKept(folder, [notes, count])).close();
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });

  it('are not there before something is saved', () => {
    const folder = freshFolder();
    const projections = new Projections(folder, [notes], never);
    expect(readdirSync(folder)).toEqual([]);
    projections.save();
    expect(snapshotOf(folder)).toMatchObject({ seq: 0, offset: 0, state: { seqs: [], notes: {} } });
  });

  it('are not written again as long as no event was added', async () => {
    const folder = freshFolder();
    const { file: _, ...shared } = count;
    const inodes = (): number[] =>
      ['notes.json', 'state/projections.jsonl'].map((file) => statSync(join(folder, file)).ino);
    const open = (): Promise<Kept> => openKept(folder, [notes, shared]);
    const first = await open();
    await first.ledger.append(noteOf('a'));
    await first.close();
    const before = inodes();
    await (await open()).close();
    expect(inodes()).toEqual(before);
    const second = await open();
    await second.ledger.append(noteOf('b'));
    await second.close();
    expect(inodes().some((inode, index) => inode === before[index])).toBe(false);
  });

  it('are written into folders that are made for them', () => {
    const folder = freshFolder();
    const deep = { ...count, file: 'a/b/count.json' };
    new Projections(folder, [deep], never).save();
    expect(existsSync(join(folder, 'a/b/count.json'))).toBe(true);
  });
});

describe('restart', () => {
  it('forgets every state, so that events are folded from the first on', () => {
    const projections = new Projections(freshFolder(), [notes, count], never);
    projections.follow([eventOf(1), eventOf(2)], { seq: 2, offset: 20, hash: 'x' });
    projections.restart();
    expect(projections.position).toEqual(START);
    expect(projections.stateOf(notes)).toEqual({ seqs: [], notes: {} });
    expect(projections.stateOf(count)).toEqual({ events: 0 });
  });

  it('is not needed for events that were folded already: they are passed over', () => {
    const projections = new Projections(freshFolder(), [count], never);
    projections.follow([eventOf(1), eventOf(2)], { seq: 2, offset: 20, hash: 'x' });
    projections.apply(eventOf(2));
    expect(projections.stateOf(count)).toEqual({ events: 2 });
  });
});

describe('P4 events that wait', () => {
  const seen: number[] = [];
  const ends: Projection<{ last: number }> = {
    name: 'ends',
    version: 1,
    file: 'ends.json',
    types: ['run.ended'],
    initial: () => ({ last: 0 }),
    apply: (state, { seq }) => {
      seen.push(seq);
      return { last: Math.max(state.last, seq) };
    },
  };
  const batch = (from: number, to: number): Event[] =>
    Array.from({ length: to - from + 1 }, (_, index) => eventOf(from + index));

  it('are all in a state that is read, and only once', () => {
    const projections = new Projections(freshFolder(), [notes, count], never);
    projections.follow(batch(1, 3), { seq: 3, offset: 30, hash: 'x' });
    expect(projections.stateOf(count)).toEqual({ events: 3 });
    projections.follow(batch(4, 5), { seq: 5, offset: 50, hash: 'y' });
    expect(projections.stateOf(count)).toEqual({ events: 5 });
    expect(projections.stateOf(count)).toEqual({ events: 5 });
    expect(projections.stateOf(notes).seqs).toEqual([1, 2, 3, 4, 5]);
  });

  it('are in the snapshot that names their position', () => {
    const folder = freshFolder();
    const projections = new Projections(folder, [notes], never);
    projections.follow(batch(1, 3), { seq: 3, offset: 30, hash: 'x' });
    projections.save();
    expect(snapshotOf(folder)).toMatchObject({ seq: 3, state: { seqs: [1, 2, 3] } });
  });

  it('are folded without a reader when they are many', () => {
    const last: number[] = [];
    const eager: Projection<{ events: number }> = {
      ...count,
      apply: (state, { seq }) => {
        last.push(seq);
        return state;
      },
    };
    const projections = new Projections(freshFolder(), [eager], never);
    for (let seq = 1; seq <= 1000; seq += 1) projections.follow([eventOf(seq)], { seq, offset: 10 * seq, hash: 'x' });
    expect(last.length).toBeGreaterThan(500);
    expect(last).toEqual(last.toSorted((a, b) => a - b));
  });

  it('reach only the projections that handle their type', () => {
    const projections = new Projections(freshFolder(), [ends, count], never);
    const over: Event = { ...eventOf(2), type: 'run.ended', data: { status: 'done', reason: '' } } as Event;
    projections.follow([eventOf(1), over, eventOf(3)], { seq: 3, offset: 30, hash: 'x' });
    expect(projections.stateOf(ends)).toEqual({ last: 2 });
    expect(projections.stateOf(count)).toEqual({ events: 3 });
    expect(seen).toEqual([2]);
  });
});

function eventOf(seq: number): Event {
  const at = '2026-01-01T00:00:00.000Z';
  return { seq, type: 'run.paused', run: 'r1', at, pen: 'run', cause: null, v: 1, data: { reason: 'x' } };
}

function contentsOf(folder: string): Record<string, string> {
  mkdirSync(dirname(join(folder, 'x')), { recursive: true });
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
