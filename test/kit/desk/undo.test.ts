import { chmodSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Files, TestDesk } from '../../support/desk.ts';
import { timesOf } from '../../support/thorough.ts';

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
const POEM = lines('one', 'two', 'three', 'four', 'five', 'six', 'seven');

describe('a run is taken back', () => {
  it('edited, deleted, moved and made files: the run is gone, every line of people is there, overlaps are named', async () => {
    using desk = new TestDesk({
      'edited.md': POEM,
      'untouched.md': POEM,
      'deleted.md': 'to be deleted\n',
      'moved.md': POEM,
      'clash.md': POEM,
      'old/deep/file.txt': 'x',
    });
    const step = await desk.step(() => {
      desk.put({ 'edited.md': POEM.replace('two', 'TWO by the run'), 'made/new.md': 'made by the run\n' });
      desk.put({ 'clash.md': POEM.replace('four', 'FOUR by the run') });
      desk.remove('deleted.md', 'old');
      renameSync(desk.at('moved.md'), desk.at('elsewhere.md'));
    });
    desk.put({ 'edited.md': `${desk.read('edited.md')}a person's line\n`, 'made/mine.md': 'mine\n', 'my.md': 'my\n' });
    desk.put({ 'elsewhere.md': `a person's first line\n${desk.read('elsewhere.md')}` });
    desk.put({ 'clash.md': desk.read('clash.md').replace('FOUR by the run', 'four by a person') });
    desk.put({ 'untouched.md': `${POEM}more\n` });

    const dry = await desk.shadow.plan([step]);
    const before = desk.state();
    expect(dry.overlaps.map(({ path }) => path)).toEqual(['clash.md']);
    expect(dry.remove).toEqual(['elsewhere.md', 'made/new.md']);
    expect(desk.state()).toEqual(before);

    const undone = await desk.shadow.undo([step], 'undo');
    expect(undone.removed).toEqual(dry.remove);
    expect(undone.restored).toEqual(dry.restore);
    expect(undone.overlaps).toEqual(dry.overlaps);
    expect(desk.read('edited.md')).toBe(`${POEM}a person's line\n`);
    expect(desk.read('moved.md')).toBe(`a person's first line\n${POEM}`);
    expect(desk.read('deleted.md')).toBe('to be deleted\n');
    expect(desk.read('old/deep/file.txt')).toBe('x');
    expect(desk.read('untouched.md')).toBe(`${POEM}more\n`);
    expect(desk.read('clash.md')).toBe(POEM.replace('four', 'four by a person'));
    expect(readdirSync(desk.at('made'))).toEqual(['mine.md']);
    expect(readdirSync(desk.dir).toSorted()).toEqual(
      ['clash.md', 'deleted.md', 'edited.md', 'made', 'moved.md', 'my.md', 'old', 'untouched.md'].toSorted(),
    );
  });

  it('no lines are merged into a file that makes other programs run; it is left as people made it', async () => {
    using desk = new TestDesk({ '.envrc': POEM, 'a.md': POEM });
    const step = await desk.step(() => desk.put({ '.envrc': `${POEM}run\n`, 'a.md': `${POEM}run\n` }));
    desk.put({ '.envrc': `mine\n${desk.read('.envrc')}`, 'a.md': `mine\n${desk.read('a.md')}` });
    const { overlaps } = await desk.shadow.undo([step], 'undo');
    expect(overlaps).toMatchObject([{ path: '.envrc', why: expect.stringContaining('other programs') }]);
    expect([desk.read('.envrc'), desk.read('a.md')]).toEqual([`mine\n${POEM}run\n`, `mine\n${POEM}`]);
  });

  it('people changed the same file between its steps: only what the steps did goes', async () => {
    using desk = new TestDesk({ 'a.md': POEM });
    const edit = (from: string, to: string): void => desk.put({ 'a.md': desk.read('a.md').replace(from, to) });
    const first = await desk.step(() => edit('one', 'ONE'));
    edit('four', 'four by a person');
    const second = await desk.step(() => edit('seven', 'SEVEN'));
    edit('two\n', 'two\nand a half\n');
    // the line above touches the first change, so nothing is taken back; without it everything is
    expect((await desk.shadow.plan([first, second])).overlaps.map(({ path }) => path)).toEqual(['a.md']);
    edit('and a half\n', '');
    await desk.shadow.undo([first, second], 'undo');
    expect(desk.read('a.md')).toBe(POEM.replace('four', 'four by a person'));
  });

  it('what a step made and a later one removed leaves no trace', async () => {
    using desk = new TestDesk({ 'a.md': '1' });
    const before = desk.state();
    const steps = [
      await desk.step(() => desk.put({ 'tmp/x': 'x', 'a.md': '2' })),
      await desk.step(() => desk.put({ 'a.md': '3', 'tmp/y': 'y' })),
      await desk.step(() => desk.remove('tmp')),
    ];
    await desk.shadow.undo(steps, 'undo');
    expect(desk.state()).toEqual(before);
  });

  it('modes, links, empty folders, repositories inside, ignored files and odd names come back as they were', async () => {
    using desk = new TestDesk({
      '.gitignore': 'ignored\n',
      ignored: 'kept all the same',
      'tool.sh': { text: 'x', mode: 0o755 },
      secret: { text: 'x', mode: 0o600 },
      link: { link: 'nowhere/at all' },
      'empty/inside': null,
      'repo/.git/HEAD': 'ref: refs/heads/main\n',
      'repo/.git/objects/ab/cdef': { text: '\0binary', mode: 0o444 },
      'line\nbreak': 'x',
      'ünï ☃': 'x',
    });
    writeFileSync(Buffer.concat([Buffer.from(`${desk.dir}/bad`), Buffer.from([0xff])]), 'x');
    chmodSync(desk.at('empty'), 0o700);
    const before = desk.state();
    const step = await desk.step(() => {
      desk.clear();
      desk.put({
        'tool.sh': { text: 'x', mode: 0o644 },
        link: 'a file now',
        empty: 'a file too',
        'secret/x': 'folder',
      });
    });
    const undone = await desk.shadow.undo([step], 'undo');
    expect(undone.overlaps).toEqual([]);
    expect(desk.state()).toEqual(before);
  });

  it('a file that was too large to keep is named; one that the run made is removed', async () => {
    using desk = new TestDesk({ 'gone.bin': 'x', 'kept.bin': 'x' }, { mostFileBytes: 1000 });
    for (const name of ['gone.bin', 'kept.bin']) truncateSync(desk.at(name), 5000);
    const step = await desk.step(() => {
      desk.remove('gone.bin');
      desk.put({ 'made.bin': 'x' });
      truncateSync(desk.at('made.bin'), 5000);
    });
    const undone = await desk.shadow.undo([step], 'undo');
    expect(undone.notRestorable.map(({ path }) => path)).toEqual(['gone.bin']);
    expect(undone.removed).toEqual(['made.bin']);
    expect(readdirSync(desk.dir)).toEqual(['kept.bin']);
  });

  it.each<[string, Files, (desk: TestDesk) => void, (desk: TestDesk) => void, string[]]>([
    ['removed since', { a: '1' }, (d) => d.put({ a: '2' }), (d) => d.remove('a'), ['a']],
    ['made by the run and changed since', {}, (d) => d.put({ a: '2' }), (d) => d.put({ a: '3' }), ['a']],
    ['removed by the run and made anew', { a: '1' }, (d) => d.remove('a'), (d) => d.put({ a: '3' }), ['a']],
    ['a file where people have a folder', { a: '1' }, (d) => d.remove('a'), (d) => d.put({ 'a/b': '3' }), ['a']],
    ['files where people have a file', { 'a/b': '1' }, (d) => d.remove('a'), (d) => d.put({ a: '3' }), ['a', 'a/b']],
    ['a folder with files of people', { a: '1' }, (d) => swap(d), (d) => d.put({ 'a/mine': '3' }), ['a']],
    ['binary, changed twice', { a: '\0\n1' }, (d) => d.put({ a: '\0\n2' }), (d) => d.put({ a: '\0\n3' }), ['a']],
  ])('%s: left as it is, and named', async (_, files, run, person, overlaps) => {
    using desk = new TestDesk(files);
    const step = await desk.step(() => run(desk));
    person(desk);
    const before = desk.state();
    const undone = await desk.shadow.undo([step], 'undo');
    expect(undone.overlaps.map(({ path }) => path).toSorted()).toEqual(overlaps);
    const ofPeople = Object.entries(before).filter(([path]) => path !== 'a/run');
    expect(Object.entries(desk.state())).toEqual(ofPeople);
  });

  it('a folder that people removed after the run emptied it is made again for what was in it', async () => {
    using desk = new TestDesk({ 'd/e/a': '1' });
    const step = await desk.step(() => desk.remove('d/e/a'));
    desk.remove('d');
    await desk.shadow.undo([step], 'undo');
    expect(desk.read('d/e/a')).toBe('1');
  });
});

describe('R2 what happens on the desk meanwhile', () => {
  it('a change between plan and act stays', async () => {
    using desk = new TestDesk({ a: '1', b: '1' });
    const step = await desk.step(() => desk.put({ a: '2', b: '2' }));
    const { carryOutPlan } = await import('../../../src/kit/desk/carry-out-undo.ts');
    const { Objects } = await import('../../../src/kit/desk/object-store.ts');
    const plan = await desk.shadow.plan([step]);
    desk.put({ a: 'just now' });
    const { left } = carryOutPlan(desk.dir, new Objects(desk.store), plan.actions);
    expect(left).toEqual([{ path: 'a', why: 'it has changed in the meantime' }]);
    expect([desk.read('a'), desk.read('b')]).toEqual(['just now', '1']);
  });

  it('R3 a folder swapped for a link is not followed', async () => {
    using desk = new TestDesk({ 'd/a': '1' });
    const step = await desk.step(() => desk.put({ 'd/a': '2' }));
    const { carryOutPlan } = await import('../../../src/kit/desk/carry-out-undo.ts');
    const { Objects } = await import('../../../src/kit/desk/object-store.ts');
    const plan = await desk.shadow.plan([step]);
    renameSync(desk.at('d'), join(desk.home, 'outside'));
    symlinkSync('../outside', desk.at('d'));
    expect(carryOutPlan(desk.dir, new Objects(desk.store), plan.actions).left).toHaveLength(1);
    expect(desk.read('d/a')).toBe('2');
  });
});

describe('a crash in the middle', () => {
  it('at every action: calling it again ends what was begun, also when people had changed the same files', async () => {
    for (let crashAfter = 0; crashAfter < 6; crashAfter++) {
      using desk = new TestDesk({ a: POEM, b: '1', c: '1', 'old/x': 'x' });
      const first = await desk.step(() => desk.put({ a: desk.read('a').replace('one', 'ONE'), new: 'n' }));
      desk.put({ a: desk.read('a').replace('four', 'four by a person') });
      const second = await desk.step(() => {
        desk.put({ a: desk.read('a').replace('ONE', 'ONE again'), b: '2' });
        desk.remove('c', 'old');
      });
      const expected = { ...beforeTheCrash, a: `file 644 ${POEM.replace('four', 'four by a person')}` };
      const { carryOutPlan } = await import('../../../src/kit/desk/carry-out-undo.ts');
      const { Objects } = await import('../../../src/kit/desk/object-store.ts');
      const plan = await desk.shadow.plan([first, second]);
      await begin(desk, [first, second], plan);
      carryOutPlan(desk.dir, new Objects(desk.store), plan.actions.slice(0, crashAfter));
      const undone = await desk.reopened().undo([first, second], 'undo');
      expect(undone.overlaps).toEqual([]);
      expect(desk.state()).toEqual(expected);
    }
  });
});

function swap(desk: TestDesk): void {
  desk.remove('a');
  desk.put({ 'a/run': '2' });
}

const beforeTheCrash: Record<string, string> = {
  b: 'file 644 1',
  c: 'file 644 1',
  old: 'folder 755',
  'old/x': 'file 644 x',
};

/** Writes down what was decided, as undo does before its first act. */
async function begin(desk: TestDesk, steps: unknown, plan: unknown): Promise<void> {
  const { hash } = await import('node:crypto');
  writeFileSync(join(desk.store, 'undoing.json'), JSON.stringify({ key: hash('sha256', JSON.stringify(steps)), plan }));
}

describe('for any states', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const leaf: fc.Arbitrary<Files[string]> = fc.oneof(
    fc.constantFrom('1', '2\n3\n', '', '\0', POEM),
    fc.record({ text: fc.constantFrom('x', POEM), mode: fc.constantFrom(0o755, 0o600) }),
    fc.record({ link: fc.constantFrom('a', '../b') }),
    fc.constant(null),
  );
  const tree = fc.dictionary(path, leaf, { maxKeys: 7 }).map(withoutClashes);

  it('without people in between the desk is exactly what it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 2, maxLength: 4 }), async (states) => {
        using desk = new TestDesk(states[0]);
        const before = desk.state();
        const steps = [];
        for (const state of states.slice(1)) steps.push(await desk.step(() => become(desk, state)));
        const undone = await desk.shadow.undo(steps, 'undo');
        expect([undone.overlaps, undone.notRestorable]).toEqual([[], []]);
        expect(desk.state()).toEqual(before);
      }),
      { seed: 3, numRuns: timesOf(60, 10) },
    );
  });

  it('what the run did not change stays as it is, and nothing of people is lost', async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, tree, async (was, became, is) => {
        using desk = new TestDesk(was);
        const before = desk.state();
        const step = await desk.step(() => become(desk, became));
        const after = desk.state();
        become(desk, is);
        const now = desk.state();
        const { overlaps } = await desk.shadow.undo([step], 'undo');
        const then = desk.state();
        const named = new Set(overlaps.map(({ path: each }) => each));
        for (const each of Object.keys(now)) {
          if (now[each]?.startsWith('folder') === true) continue;
          const runLeftIt = before[each] === after[each];
          const isAsTheRunLeftIt = now[each] === after[each];
          if (runLeftIt || named.has(each)) expect([each, then[each]]).toEqual([each, now[each]]);
          else if (isAsTheRunLeftIt) expect([before[each], now[each]]).toContain(then[each]);
        }
        const again = await desk.shadow.plan([step]);
        expect(again.actions).toEqual([]);
      }),
      { seed: 5, numRuns: timesOf(120, 15) },
    );
  });

  it('every line that people wrote is on the desk afterwards', async () => {
    const edits = fc.array(fc.tuple(fc.nat(3), fc.nat(6), fc.constantFrom('put', 'drop', 'change')), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(edits, edits, async (run, people) => {
        const files = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}`, POEM]));
        using desk = new TestDesk(files);
        const step = await desk.step(() => edit(desk, run, 'run'));
        edit(desk, people, 'person');
        const written = allLines(desk).filter((line) => line.startsWith('person'));
        const { overlaps } = await desk.shadow.undo([step], 'undo');
        const left = allLines(desk);
        expect(left).toEqual(expect.arrayContaining(written));
        if (overlaps.length === 0) expect(left.filter((line) => line.startsWith('run'))).toEqual([]);
      }),
      { seed: 9, numRuns: timesOf(80, 10) },
    );
  });
});

/** A file cannot have anything below it. */
function withoutClashes(files: Files): Files {
  const paths = Object.keys(files);
  const entries = Object.entries(files).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`)));
  return Object.fromEntries(entries);
}

function become(desk: TestDesk, files: Files): void {
  desk.clear();
  desk.put(files);
}

function edit(desk: TestDesk, edits: [number, number, string][], who: string): void {
  for (const [i, [file, line, what]] of edits.entries()) {
    const text = desk.read(`f${file}`).split('\n');
    text.splice(line, what === 'put' ? 0 : 1, ...(what === 'drop' ? [] : [`${who} ${i}`]));
    desk.put({ [`f${file}`]: text.join('\n') });
  }
}

const allLines = (desk: TestDesk): string[] => readdirSync(desk.dir).flatMap((name) => desk.read(name).split('\n'));
