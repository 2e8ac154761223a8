import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilesIn, Merged } from '../../../src/kit/desk/merge-folder.ts';
import { TestDesk } from '../../support/desk.ts';
import { timesOf } from '../../support/thorough.ts';

type Tree = Record<string, string>;

describe('a folder from elsewhere is merged into the desk', () => {
  it('M1 M2 what one side changed is taken or stays; what both changed stays, with the other version beside it', async () => {
    const base = { same: '0', taken: '0', gone: '0', mine: '0', 'both.md': '0', 'gone-mine': '0', 'mine-gone': '0' };
    using desk = new TestDesk(
      inJob({ ...base, mine: '1', 'both.md': '1', 'gone-mine': '1', own: '1', 'deep/new': 'm' }),
    );
    desk.remove('job/mine-gone');
    const theirs = { same: '0', taken: '2', mine: '0', 'both.md': '2', 'mine-gone': '2', 'deep/new': 't', made: 't' };
    const merged = await merge(desk, base, theirs);
    expect(filesOf(desk)).toEqual({
      same: '0',
      taken: '2',
      mine: '1',
      'both.md': '1',
      'both.result.md': '2',
      'gone-mine': '1',
      'mine-gone.result': '2',
      own: '1',
      'deep/new': 'm',
      'deep/new.result': 't',
      made: 't',
    });
    expect(merged.taken).toEqual(['made', 'taken']);
    expect(merged.removed).toEqual(['gone']);
    expect(Object.fromEntries(merged.conflicts.map(({ path, beside }) => [path, beside]))).toEqual({
      'both.md': 'job/both.result.md',
      'gone-mine': null,
      'mine-gone': 'job/mine-gone.result',
      'deep/new': 'job/deep/new.result',
    });
    const before = desk.state();
    expect((await merge(desk, base, theirs)).conflicts).toEqual(merged.conflicts);
    expect(desk.state()).toEqual(before);
  });

  it('a link, a pipe, a file or a folder in the way is not touched, and nothing is written through a link', async () => {
    using desk = new TestDesk(inJob({ 'file-here': 'f', 'folder-here/x': 'x' }));
    mkdirSync(desk.at('outside'));
    symlinkSync('../outside', desk.at('job/linked'));
    symlinkSync('../outside/made', desk.at('job/link'));
    execFileSync('mkfifo', [desk.at('job/pipe')]);
    const theirs = { 'linked/a': 't', link: 't', pipe: 't', 'file-here/a.txt': 't', 'folder-here': 't' };
    const { conflicts } = await merge(desk, {}, theirs);
    expect(conflicts.map(({ beside }) => `${beside}`).toSorted()).toEqual([
      'job/file-here.result/a.txt',
      'job/folder-here.result',
      'job/link.result',
      'job/linked.result/a',
      'job/pipe.result',
    ]);
    expect(lstatSync(desk.at('job/pipe')).isFIFO()).toBe(true);
    expect(lstatSync(desk.at('job/linked')).isSymbolicLink()).toBe(true);
    expect(existsSync(desk.at('outside/a')) || existsSync(desk.at('outside/made'))).toBe(false);
  });

  it('the folder of the task itself may be a link: everything is beside it', async () => {
    using desk = new TestDesk({ 'other/a': 'mine' });
    symlinkSync('other', desk.at('job'));
    const { conflicts } = await merge(desk, { a: 'mine' }, { a: 'theirs' });
    expect(conflicts).toMatchObject([{ path: 'a', beside: 'job.result/a' }]);
    expect(desk.read('other/a')).toBe('mine');
    expect(desk.read('job.result/a')).toBe('theirs');
  });

  it('what somebody changes between the snapshot and the write stays, and the other version is beside it', async () => {
    const base = { a: '0', b: '0', c: '0' };
    using desk = new TestDesk(inJob(base));
    const [from, to] = [folderOf(desk, 'base', base), folderOf(desk, 'theirs', { a: '2', b: '2' })];
    // The files of the other side are read after the snapshot of the desk: an edit in that moment is one during the merge.
    const files = editedOnRead(to, () => desk.put(inJob({ a: 'edited', c: 'edited', new: 'x' })));
    const { merged } = await desk.shadow.merge({ name: 'job', base: from, theirs: files });
    expect(filesOf(desk)).toEqual({ a: 'edited', 'a.result': '2', b: '2', c: 'edited', new: 'x' });
    expect(merged.conflicts.map(({ path }) => path).toSorted()).toEqual(['a', 'c']);
  });

  it('M3 cut short after any of its writes, it ends as if nothing had happened', async () => {
    const base = { a: '0', 'd/b': '0', c: '0', both: '0' };
    const theirs = { a: '2', 'd/n': '2', c: '2', both: '2' };
    using whole = new TestDesk(inJob({ ...base, both: '1' }));
    const { conflicts } = await merge(whole, base, theirs);
    const writes: ((desk: TestDesk) => void)[] = [
      (desk) => desk.remove('job/d/b'),
      (desk) => desk.put(inJob({ a: '2' })),
      (desk) => desk.put(inJob({ c: '2' })),
      (desk) => desk.put(inJob({ 'd/n': '2' })),
      (desk) => desk.put({ 'job/both.result': '2' }),
    ];
    for (let done = 0; done <= writes.length; done++) {
      using desk = new TestDesk(inJob({ ...base, both: '1' }));
      for (const write of writes.slice(0, done)) write(desk);
      expect((await merge(desk, base, theirs)).conflicts, `after ${done}`).toEqual(conflicts);
      expect(desk.state(), `after ${done}`).toEqual(whole.state());
    }
  });

  it('the mode of a file here stays, unless the other side made it executable', async () => {
    using desk = new TestDesk(inJob({ a: '0', b: '0' }));
    for (const name of ['a', 'b']) chmodSync(desk.at('job', name), 0o640);
    const to = folderOf(desk, 'theirs', { a: '2', b: '2' });
    const theirs = { ...to, files: to.files.map((file) => ({ ...file, executable: file.path === 'b' })) };
    await desk.shadow.merge({ name: 'job', base: folderOf(desk, 'base', { a: '0', b: '0' }), theirs });
    expect(['a', 'b'].map((name) => (lstatSync(desk.at('job', name)).mode & 0o777).toString(8))).toEqual([
      '640',
      '755',
    ]);
  });

  it('P whatever the three sides are: each content of a person stays, each of the other side is somewhere, and it ends', async () => {
    const tree = fc.dictionary(fc.constantFrom('a', 'b', 'd', 'd/e', 'd/f', 'g.md'), fc.constantFrom('0', '1', '2'), {
      noNullPrototype: true,
    });
    const check = async (base: Tree, mine: Tree, theirs: Tree): Promise<void> => {
      const [b, m, t] = [possible(base), possible(mine), possible(theirs)];
      using desk = new TestDesk({ job: null, ...inJob(m) });
      const { conflicts } = await merge(desk, b, t);
      const after = filesOf(desk);
      for (const [path, text] of Object.entries(m)) {
        const isOurs = b[path] !== text;
        if (isOurs || t[path] === text) expect(after[path], path).toBe(text);
        else expect([t[path], text], path).toContain(after[path]);
      }
      const beside = new Map(conflicts.map(({ path, beside: at }) => [path, at]));
      for (const [path, text] of Object.entries(t))
        if (b[path] !== text) expect(after[(beside.get(path) ?? `job/${path}`).slice('job/'.length)], path).toBe(text);
      const state = desk.state();
      await merge(desk, b, t);
      expect(desk.state()).toEqual(state);
    };
    await fc.assert(fc.asyncProperty(tree, tree, tree, check), { seed: 7, numRuns: timesOf(100, 20) });
  });
});

const inJob = (tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([path, text]) => [`job/${path}`, text]));

/** A name is a file or a folder. */
const possible = (tree: Tree): Tree =>
  Object.fromEntries(
    Object.entries(tree).filter(([path]) => path !== 'd' || !Object.keys(tree).some((other) => other.startsWith('d/'))),
  );

async function merge(desk: TestDesk, base: Tree, theirs: Tree): Promise<Merged> {
  const [from, to] = [folderOf(desk, 'base', base), folderOf(desk, 'theirs', theirs)];
  return (await desk.shadow.merge({ name: 'job', base: from, theirs: to })).merged;
}

function folderOf({ home }: TestDesk, name: string, tree: Tree): FilesIn {
  const folder = join(home, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const files = Object.entries(tree).map(([path, text]) => ({ path, bytes: text.length, executable: false }));
  return { folder, files };
}

function editedOnRead({ folder, files }: FilesIn, edit: () => void): FilesIn {
  return {
    folder,
    get files() {
      edit();
      return files;
    },
  };
}

const filesOf = (desk: TestDesk): Tree =>
  Object.fromEntries(
    Object.entries(desk.state()).flatMap(([path, what]) =>
      path.startsWith('job/') && what.startsWith('file ') ? [[path.slice(4), what.split(' ').slice(2).join(' ')]] : [],
    ),
  );
