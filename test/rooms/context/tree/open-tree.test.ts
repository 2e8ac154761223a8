import { hash } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { statCacheFile, treeFile } from '../../../../src/rooms/context/tree/tree-files.ts';
import { rebuildTree, withTreeRows } from '../../../../src/rooms/context/tree/tree-index.ts';
import { validateHomeTree } from '../../../../src/rooms/context/tree/validate-home-tree.ts';
import { readProgress } from '../../../../src/core/ledger/fold-store.ts';
import { readEvents } from '../../../../src/core/ledger/read-events.ts';
import type { Home } from '../../../../src/core/schema/home.ts';
import type { FrameRecord } from '../../../../src/core/schema/frame.ts';
import type { Rows } from '../../../../src/core/schema/rows.ts';
import type { TreeReader } from '../../../../src/rooms/context/model/tree-store.ts';
import { writeAgent } from '../../../support/agents.ts';
import { openTreeHome, type TreeHome } from '../../../support/tree-home.ts';

const FILES = { 'desk/a.txt': 'alpha', 'desk/b.txt': 'beta', 'desk/p/c.txt': 'gamma' };

async function scannedHome(): Promise<TreeHome> {
  const at = await openTreeHome();
  at.write(FILES);
  await at.scan();
  return at;
}

const reading = <T>({ tree }: TreeHome, query: (reader: TreeReader) => T): Promise<T> => tree.read('workspace', query);
const eventsIn = async (home: Home): Promise<number> => (await Array.fromAsync(readEvents(home.ledgers.run))).length;
const allRows = (rows: Rows): unknown[] => [...rows.each('tree')];
const notes = (at: TreeHome, path: string): Promise<FrameRecord[]> => reading(at, (tree) => tree.frames(path));

describe('a scan', () => {
  it('is one event, and none when nothing changed', async () => {
    await using at = await openTreeHome();
    at.write(FILES);
    const before = await eventsIn(at.home);
    expect(await at.scan()).toMatchObject({ files: 3, folders: 3, base: null, added: 5, read: 3 });
    expect(await eventsIn(at.home)).toBe(before + 1);
    expect(await at.scan()).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(await eventsIn(at.home)).toBe(before + 1);
  });

  it('of a changed file changes exactly the ids above it', async () => {
    await using at = await scannedHome();
    const ids = (): Promise<Record<string, string | undefined>> =>
      reading(at, (tree) =>
        Object.fromEntries(['', 'desk', 'desk/p', 'desk/a.txt', 'desk/p/c.txt'].map((p) => [p, tree.node(p)?.id])),
      );
    const before = await ids();
    at.write({ 'desk/a.txt': 'changed' });
    expect(await at.scan()).toMatchObject({ added: 0, removed: 0 });
    const after = await ids();
    const changed = Object.keys(before).filter((path) => before[path] !== after[path]);
    expect(changed).toEqual(['', 'desk', 'desk/a.txt']);
  });

  it('is found again by another process, and after a rebuild with the same rows', async () => {
    await using at = await scannedHome();
    await at.put('desk/a.txt', 'about a');
    at.write({ 'desk/a.txt': 'other', 'desk/p': null, 'desk/q/c.txt': 'gamma' });
    await at.scan();
    const owned = await reading(at, (tree) => tree.summary());
    const rows = await withTreeRows(at.home, allRows);
    expect(rows.length).toBeGreaterThan(5);
    await at.reopen();
    await rebuildTree(at.home);
    expect(await withTreeRows(at.home, allRows)).toEqual(rows);
    await at.tree.close();
    rmSync(treeFile(at.home));
    expect(await withTreeRows(at.home, allRows)).toEqual(rows);
    expect(owned?.files).toBe(3);
  });
});

it('a node is found by the beginning of its id wherever it is now, and nowhere else', async () => {
  await using at = await scannedHome();
  const find = (name: string): Promise<string> => reading(at, (tree) => tree.find(name));
  const gamma = hash('sha256', 'gamma');
  expect(await find(gamma.slice(0, 8))).toBe('desk/p/c.txt');
  renameSync(join(at.home.workspace, 'desk/p'), join(at.home.workspace, 'desk/q'));
  await at.scan();
  expect(await find(gamma)).toBe('desk/q/c.txt');
  at.write({ 'desk/q/c.txt': 'delta', 'desk/r/s/c.txt': 'gamma', 'desk/t.txt': 'gamma' });
  await at.scan();
  await expect(find(gamma)).rejects.toThrow('is the id of 2 nodes');
  at.write({ 'desk/r': null });
  await at.scan();
  expect(await find(gamma)).toBe('desk/t.txt');
  rmSync(statCacheFile(at.home, 'workspace'));
  expect(await find(gamma), 'without the cache').toBe('desk/t.txt');
  at.write({ 'desk/q': null, 'desk/t.txt': 'delta' });
  at.write({ 'desk/q': 'a file now' });
  await at.scan();
  await expect(find(gamma)).rejects.toThrow('there is no node');
  expect(await find(hash('sha256', 'delta'))).toBe('desk/t.txt');
  const root = await reading(at, (tree) => tree.node('')?.id ?? '');
  expect(await find(root.slice(0, 12))).toBe('');
});

describe('the rows of the process with the pen', () => {
  it('are read without the ledger when nothing new was recorded', async () => {
    await using at = await scannedHome();
    await reading(at, () => null);
    const moved = `${at.home.ledgers.run}.moved`;
    renameSync(at.home.ledgers.run, moved);
    expect(await reading(at, (tree) => tree.node('desk/a.txt')?.size)).toBe(5);
    renameSync(moved, at.home.ledgers.run);
  });

  it('include what was recorded since they were read', async () => {
    await using at = await scannedHome();
    const id = await at.put('desk/a.txt', 'about a');
    await at.stores.ledger.append({ type: 'worker.stopped', data: { reason: 'test' } });
    expect((await notes(at, 'desk/a.txt')).map((frame) => frame.id)).toEqual([id]);
  });

  it('are in the file for other processes after a poll, though nobody has read them here', async () => {
    await using at = await scannedHome();
    const stored = (): number => readProgress(treeFile(at.home))?.read.run ?? 0;
    const { end } = at.stores.ledger;
    expect(stored()).toBeLessThan(end.seq);
    await at.tree.poll();
    await vi.waitFor(() => expect(stored()).toBe(end.seq), { timeout: 60_000 });
  });

  it('are closed in order while they are folded in the background, and complete when they are opened again', async () => {
    await using at = await scannedHome();
    await at.tree.poll();
    await at.reopen();
    expect(await reading(at, (tree) => tree.summary()?.files)).toBe(3);
  });
});

describe('1. Agent read and write model', () => {
  it('Writer agents cannot overwrite frames: another text is another frame, and the first one stays', async () => {
    await using at = await scannedHome();
    const first = await at.put('desk/a.txt', 'first');
    const second = await at.put('desk/a.txt', 'second');
    expect(second).not.toBe(first);
    const frames = await notes(at, 'desk/a.txt');
    expect(frames.map(({ id, is_head }) => [id, is_head])).toEqual([
      [first, false],
      [second, true],
    ]);
    expect(await at.tree.text(frames[0] as FrameRecord)).toBe('first');
  });

  it('Reader agents never trigger writes: their frame is refused, and nothing is recorded', async () => {
    await using at = await scannedHome();
    writeAgent(at.home, 'watcher', 'role: reader');
    const before = await eventsIn(at.home);
    await expect(at.put('desk/a.txt', 'x', { agent: 'watcher' })).rejects.toMatchObject({
      code: 'not-permitted',
      message: 'the agent watcher may not add frames: it is a reader without "frames"',
    });
    expect(await eventsIn(at.home)).toBe(before);
  });

  it('Agent attribution preserved in FrameIDs: the same text of another agent is another frame', async () => {
    await using at = await scannedHome();
    writeAgent(at.home, 'scribe', 'role: writer');
    const own = await at.put('desk/a.txt', 'same');
    const other = await at.put('desk/a.txt', 'same', { agent: 'scribe' });
    expect(other).not.toBe(own);
    expect((await notes(at, 'desk/a.txt')).map(({ agent }) => agent)).toEqual(['oka', 'scribe']);
  });

  it('Concurrent agents do not corrupt state: fifty frames at once are fifty frames, and one head', async () => {
    await using at = await scannedHome();
    const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => at.put('desk/a.txt', `text ${n % 25}`)));
    expect(new Set(ids).size).toBe(25);
    const frames = await notes(at, 'desk/a.txt');
    expect(new Set(frames.map(({ id }) => id)).size).toBe(25);
    expect(new Set(frames.filter(({ is_head }) => is_head).map(({ id }) => id)).size).toBe(1);
  });

  it('Agent identity verified on all write operations: an unknown agent is an error with the nearest name', async () => {
    await using at = await scannedHome();
    await expect(at.put('desk/a.txt', 'x', { agent: 'oke' })).rejects.toThrow('did you mean "oka"?');
  });
});

describe('2. Context APIs', () => {
  it('Frame append updates heads correctly: the head of a type moves with its frame, and only that one', async () => {
    await using at = await scannedHome();
    const note = await at.put('desk/a.txt', 'a note');
    const summary = await at.put('desk/a.txt', 'a summary', { type: 'summary' });
    const newer = await at.put('desk/a.txt', 'a newer note');
    const heads = await reading(at, (tree) => tree.heads('desk/a.txt').map(({ type, id }) => [type, id]));
    expect(heads).toEqual([
      ['note', newer],
      ['summary', summary],
    ]);
    expect(await at.put('desk/a.txt', 'a note')).toBe(note);
    expect(await reading(at, (tree) => tree.head('desk/a.txt', 'note')?.id)).toBe(note);
  });

  it('putting the same frame again gives the same id and records nothing', async () => {
    await using at = await scannedHome();
    const id = await at.put('desk/a.txt', 'x');
    const before = await eventsIn(at.home);
    expect(await at.put('desk/a.txt', 'x')).toBe(id);
    expect(await eventsIn(at.home)).toBe(before);
  });

  it('what a model wrote is identified by its inputs, and its first content stays', async () => {
    await using at = await scannedHome();
    const node = await reading(at, (tree) => tree.node('desk/a.txt')?.id ?? '');
    const basis = { node, prompt: 'a'.repeat(64), context: 'b'.repeat(64) };
    const more = { origin: 'model', type: 'summary', basis, model: 'x:1' } as const;
    const id = await at.put('desk/a.txt', 'first answer', more);
    expect(await at.put('desk/a.txt', 'second answer', { ...more, model: 'y:2' })).toBe(id);
    const [frame] = await notes(at, 'desk/a.txt');
    expect(await at.tree.text(frame as FrameRecord)).toBe('first answer');
    expect(await at.put('desk/a.txt', 'again', { ...more, basis: { ...basis, revision: 1 } })).not.toBe(id);
  });

  it('Error handling is deterministic, and invalid nodes and types get a clear error', async () => {
    await using at = await scannedHome();
    for (let round = 0; round < 2; round += 1) {
      await expect(at.put('desk/none.txt', 'x')).rejects.toThrow('desk/none.txt is not in the context tree');
      await expect(at.put('desk/a.txt', 'x', { type: 'sumary' })).rejects.toThrow('did you mean "summary"?');
      await expect(reading(at, (tree) => tree.find('nothing'))).rejects.toThrow('there is no node "nothing"');
      await expect(at.put('desk/a.txt', 'x', { node: 'f'.repeat(64) })).rejects.toThrow('has changed since');
    }
    expect(await reading(at, (tree) => [tree.find('./desk/'), tree.find('.')])).toEqual(['desk', '']);
    const id = await reading(at, (tree) => tree.node('desk/b.txt')?.id ?? '');
    expect(await reading(at, (tree) => tree.find(id.slice(0, 12)))).toBe('desk/b.txt');
  });

  it('Concurrent requests handled safely: whoever reads while others write sees a head that is one of the frames', async () => {
    await using at = await scannedHome();
    const look = (): Promise<boolean> =>
      reading(at, (tree) => {
        const [frames, head] = [tree.frames('desk/a.txt'), tree.head('desk/a.txt', 'note')];
        return frames.length === 0 ? head === null : frames.some(({ id }) => id === head?.id);
      });
    const write = async (n: number): Promise<boolean> => (await at.put('desk/a.txt', `text ${n}`)) !== '';
    const scan = async (n: number): Promise<boolean> => {
      at.write({ [`desk/other-${n}.txt`]: 'other' });
      return (await at.scan()).root !== '';
    };
    const requests = Array.from({ length: 60 }, (_, n) => (n % 12 === 0 ? scan(n) : n % 3 === 0 ? write(n) : look()));
    expect(new Set(await Promise.all(requests))).toEqual(new Set([true]));
    expect((await validateHomeTree(at.home, 'workspace')).problems).toEqual([]);
  });

  it('no secret enters a frame', async () => {
    await using at = await scannedHome();
    await at.put('desk/a.txt', `the token is ghp_${'a'.repeat(36)}`);
    const [frame] = await notes(at, 'desk/a.txt');
    expect(await at.tree.text(frame as FrameRecord)).toMatch(/^the token is \[redacted/);
  });
});

describe('what becomes of frames when files change', () => {
  it('a frame is stale when the content changes, and current again when it changes back', async () => {
    await using at = await scannedHome();
    await at.put('desk/a.txt', 'about alpha');
    at.write({ 'desk/a.txt': 'else' });
    await at.scan();
    expect(await reading(at, (tree) => tree.stale())).toMatchObject([
      { path: 'desk/a.txt', reason: 'the content changed' },
    ]);
    at.write({ 'desk/a.txt': 'alpha' });
    await at.scan();
    expect(await reading(at, (tree) => tree.stale())).toEqual([]);
  });

  it('a frame of a folder is stale when a child gets another frame, until it is made again', async () => {
    await using at = await scannedHome();
    const child = await at.put('desk/p/c.txt', 'one', { type: 'summary' });
    const node = await reading(at, (tree) => tree.node('desk/p')?.id ?? '');
    const branch = { type: 'summary', origin: 'rule' } as const;
    await at.put('desk/p', 'folder', { ...branch, basis: { node, inputs: [child], takes: 'summary', policy: 'x' } });
    expect(await reading(at, (tree) => tree.stale())).toEqual([]);
    const other = await at.put('desk/p/c.txt', 'two', { type: 'summary' });
    expect(await reading(at, (tree) => tree.stale().map(({ path }) => path))).toEqual(['desk/p']);
    await at.put('desk/p', 'folder', { ...branch, basis: { node, inputs: [other], takes: 'summary', policy: 'x' } });
    expect(await reading(at, (tree) => tree.stale())).toEqual([]);
  });

  it('an invalidated frame is stale until it is put again', async () => {
    await using at = await scannedHome();
    const id = await at.put('desk/a.txt', 'x');
    await at.tree.invalidate('workspace', 'desk/a.txt', [id], 'wrong');
    expect(await reading(at, (tree) => tree.stale())).toMatchObject([{ reason: 'invalidated: wrong' }]);
    await at.put('desk/a.txt', 'x');
    expect(await reading(at, (tree) => tree.stale())).toEqual([]);
  });

  it('a renamed file or folder carries its frames along', async () => {
    await using at = await scannedHome();
    const a = await at.put('desk/a.txt', 'about a');
    const c = await at.put('desk/p/c.txt', 'about c');
    const p = await at.put('desk/p', 'about p');
    renameSync(join(at.home.workspace, 'desk/a.txt'), join(at.home.workspace, 'desk/z.txt'));
    renameSync(join(at.home.workspace, 'desk/p'), join(at.home.workspace, 'moved'));
    await at.scan();
    const heads = await reading(at, (tree) =>
      ['desk/z.txt', 'moved/c.txt', 'moved', 'desk/a.txt', 'desk/p'].map((path) => tree.head(path, 'note')?.id),
    );
    expect(heads).toEqual([a, c, p, undefined, undefined]);
    expect(await reading(at, (tree) => tree.stale())).toEqual([]);
  });

  it('frames of a deleted file stay as history, and are there again with the file', async () => {
    await using at = await scannedHome();
    const id = await at.put('desk/a.txt', 'about a');
    at.write({ 'desk/a.txt': null });
    await at.scan();
    expect(await reading(at, (tree) => tree.node('desk/a.txt'))).toBeNull();
    expect((await notes(at, 'desk/a.txt')).map((frame) => frame.id)).toEqual([id]);
    expect(await reading(at, (tree) => [...tree.places()][0]?.[1].left?.node)).toMatch(/^[0-9a-f]{64}$/);
    at.write({ 'desk/a.txt': 'new words' });
    await at.scan();
    expect(await reading(at, (tree) => tree.head('desk/a.txt', 'note'))).toMatchObject({
      id,
      stale: 'the content changed',
    });
  });

  it('restore gives the history of a path that is gone to another one', async () => {
    await using at = await scannedHome();
    const id = await at.put('desk/a.txt', 'about a');
    await expect(at.tree.restore('workspace', 'desk/a.txt', 'desk/b.txt')).rejects.toThrow('still in the tree');
    at.write({ 'desk/a.txt': null, 'desk/new.txt': 'rewritten' });
    await at.scan();
    await at.tree.restore('workspace', 'desk/a.txt', 'desk/new.txt');
    expect(await reading(at, (tree) => tree.head('desk/new.txt', 'note'))).toMatchObject({ id, is_head: true });
    expect(await notes(at, 'desk/a.txt')).toEqual([]);
  });

  it('compact removes what left or was replaced before a moment, and nothing that is current', async () => {
    await using at = await scannedHome();
    await at.put('desk/a.txt', 'old');
    const head = await at.put('desk/a.txt', 'new');
    await at.put('desk/b.txt', 'about b');
    at.write({ 'desk/b.txt': null });
    await at.scan();
    expect(await at.tree.compact('workspace', '2000-01-01T00:00:00.000Z')).toEqual({ nodes: 0, frames: 0 });
    expect(await at.tree.compact('workspace', '2999-01-01T00:00:00.000Z')).toEqual({ nodes: 1, frames: 2 });
    expect((await notes(at, 'desk/a.txt')).map(({ id }) => id)).toEqual([head]);
    expect(await notes(at, 'desk/b.txt')).toEqual([]);
    expect(await reading(at, (tree) => tree.totalFrames())).toBe(1);
    expect(await at.tree.compact('workspace', '2999-01-01T00:00:00.000Z')).toEqual({ nodes: 0, frames: 0 });
  });

  it('workspaces are isolated: a frame of one is not in the other', async () => {
    await using at = await openTreeHome({ roots: { other: 'workspace/desk' } });
    at.write(FILES);
    await at.scan();
    await at.tree.scan('other');
    await at.put('desk/a.txt', 'x');
    expect(
      await at.tree.read('other', (tree) => [tree.frames('a.txt'), tree.totalFrames(), tree.node('a.txt')?.size]),
    ).toEqual([[], 0, 5]);
    await expect(at.tree.scan('othr')).rejects.toThrow('did you mean "other"?');
  });

  it('a scan that was made before another one was recorded is refused', async () => {
    await using at = await scannedHome();
    writeFileSync(join(at.home.workspace, 'x'), 'x');
    const changes = {
      base: '0'.repeat(64),
      root: '1'.repeat(64),
      totals: { files: 0, folders: 1, bytes: 0, skipped: 0 },
      folders: [],
    };
    const { sha256 } = await at.stores.artifacts.put(JSON.stringify(changes));
    await expect(at.tree.recordScan('workspace', sha256)).rejects.toThrow('another scan was recorded meanwhile');
  });
});

it('two scans at once are both answered, and the tree is what the files are', async () => {
  await using at = await openTreeHome();
  at.write(FILES);
  const results = await Promise.all([at.scan(), at.scan(), at.scan()]);
  expect(new Set(results.map(({ root }) => root)).size).toBe(1);
  expect(await reading(at, (tree) => tree.roots().length)).toBe(1);
});
