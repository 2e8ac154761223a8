import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeRecord, TreeChanges } from '../../../../src/core/schema/tree.ts';
import { diffTree } from '../../../../src/rooms/context/scan/diff-tree.ts';
import { fromPathText, toPathText } from '../../../../src/rooms/context/scan/path-text.ts';
import { emptyCache, encodeCache, readCache, type StatCache } from '../../../../src/rooms/context/scan/stat-cache.ts';
import { walkWorkspace, type Walked } from '../../../../src/rooms/context/scan/walk-workspace.ts';
import { timesOf } from '../../../support/thorough.ts';

type Files = Readonly<Record<string, string>>;

function withFolder<T>(work: (root: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'oka-walk-'));
  try {
    return work(join(folder, 'root'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeTree(root: string, files: Files): void {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** As if everything had been written long ago: the cache may be trusted. */
function walk(
  root: string,
  cache: StatCache = emptyCache(),
  more: { force?: boolean; maxFileBytes?: number; clock?: () => number } = {},
): Walked {
  const clock = (): number => Date.now() + 60_000;
  const options = { root, cache, force: false, maxFileBytes: 1e9, redact: maskTokens, clock, ...more };
  const walking = walkWorkspace(options);
  for (;;) {
    const next = walking.next();
    if (next.done === true) return next.value;
  }
}

const NOBODY = 65_534;

/** The same walk in a process of its own. */
function walkElsewhere(root: string, options: ExecFileSyncOptions): TreeChanges {
  const child = join(import.meta.dirname, '../../../support/walk-child.ts');
  return JSON.parse(execFileSync(process.execPath, [child, root], options).toString()) as TreeChanges;
}

const maskTokens = (text: string): string => text.replaceAll(/ghp_\w+/g, '[redacted]');
const rootOf = ({ cache }: Walked): string => cache.folders.get('')?.id ?? '';

/** All nodes by path. */
function nodesOf({ cache }: Walked): Record<string, Pick<NodeRecord, 'kind' | 'id' | 'reason'>> {
  const { folders } = diffTree(emptyCache(), cache, () => undefined).changes;
  const entries = folders.flatMap(({ path, put }) =>
    put.map(
      ([name, kind, id, , , reason]) =>
        [path === '' ? name : `${path}/${name}`, { kind, id, ...(reason && { reason }) }] as const,
    ),
  );
  return Object.fromEntries(entries);
}

const name = fc.stringMatching(/^[a-zé][a-z0-9é .-]{0,5}$/).map((text) => text.trim() || 'x');
const tree: fc.Arbitrary<Files> = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.string({ maxLength: 20 })), { maxLength: 12 })
  .map((files) => {
    const made: Record<string, string> = {};
    for (const [names, content] of files) {
      const path = names.join('/');
      const clashes = Object.keys(made).some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
      if (!clashes) made[path] = content;
    }
    return made;
  });

describe('a walk', () => {
  it('same tree → same ids on any machine, whatever the order in which it was written', () => {
    fc.assert(
      fc.property(tree, (files) => {
        const ids = [files, Object.fromEntries(Object.entries(files).toReversed())].map((each) =>
          withFolder((root) => {
            writeTree(root, each);
            return rootOf(walk(root));
          }),
        );
        expect(ids[0]).toBe(ids[1]);
      }),
      { numRuns: timesOf(200, 8) },
    );
  });

  it('same tree → same ids on any machine, with names of any bytes, other modes and another locale', () => {
    const bytes = fc
      .uint8Array({ minLength: 1, maxLength: 8 })
      .filter((each) => !each.includes(0) && !each.includes(47));
    const names = fc.uniqueArray(
      bytes.map((each) => Buffer.from(each).toString('latin1')).filter((each) => !/^\.{1,2}$|^\.(git|oka)/.test(each)),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(names, (given) => {
        const ids = [given, given.toReversed()].map((each, at) =>
          withFolder((root) => {
            mkdirSync(root, { mode: at === 0 ? 0o755 : 0o700 });
            for (const own of each)
              writeFileSync(Buffer.from(`${root}/${own}`, 'latin1'), own, { mode: at === 0 ? 0o666 : 0o600 });
            return rootOf(walk(root));
          }),
        );
        expect(ids[0]).toBe(ids[1]);
      }),
      { numRuns: timesOf(200, 8) },
    );
    withFolder((root) => {
      writeTree(root, { 'ä/Z': '1', 'ä/a': '2', 'I/ı': '3', 'i/İ': '4', Ω: '5' });
      const roots = ['C', 'tr_TR.UTF-8', 'de_DE.ISO-8859-1'].map(
        (locale) => walkElsewhere(root, { env: { LC_ALL: locale, LANG: locale } }).root,
      );
      expect(new Set(roots)).toEqual(new Set([rootOf(walk(root))]));
    });
  });

  it('against a cache gives what a walk without one gives, after any changes', () => {
    fc.assert(
      fc.property(tree, tree, (before, after) =>
        withFolder((root) => {
          writeTree(root, before);
          const first = walk(root);
          for (const path of Object.keys(before)) if (!(path in after)) rmSync(join(root, path));
          const clear = Object.keys(after).every((path) => !Object.keys(before).some((other) => clashes(path, other)));
          if (clear) writeTree(root, after);
          const incremental = walk(root, first.cache);
          expect(nodesOf(incremental)).toEqual(nodesOf(walk(root)));
          expect(rootOf(incremental)).toBe(rootOf(walk(root, incremental.cache, { force: true })));
        }),
      ),
      { numRuns: timesOf(200, 8) },
    );
  });

  it('has known ids: a file is the hash of its bytes, so another machine computes the same', () =>
    withFolder((root) => {
      writeTree(root, { 'a/b.txt': 'hello', c: '' });
      const walked = walk(root);
      expect(nodesOf(walked)['a/b.txt']?.id).toBe(hash('sha256', 'hello'));
      expect(rootOf(walked)).toBe('a5152e57d736ff87730a3d1882104c0c6c88e7946e995308516a52712401e125');
    }));

  it('reads only what changed by its stat, and everything when it is forced to', () =>
    withFolder((root) => {
      writeTree(root, { a: '1', b: '2', 'c/d': '3' });
      const first = walk(root);
      expect(first.read).toBe(3);
      expect(walk(root, first.cache)).toMatchObject({ read: 0, isChanged: false });
      writeFileSync(join(root, 'b'), 'other');
      expect(walk(root, first.cache)).toMatchObject({ read: 1, isChanged: true });
      expect(walk(root, first.cache, { force: true }).read).toBe(3);
    }));

  it('notices a change of the same size whose time was set back: the ctime differs', () =>
    withFolder((root) => {
      writeTree(root, { a: 'one' });
      utimesSync(join(root, 'a'), 1, 1);
      const first = walk(root);
      writeFileSync(join(root, 'a'), 'two');
      utimesSync(join(root, 'a'), 1, 1);
      expect(rootOf(walk(root, first.cache))).not.toBe(rootOf(first));
    }));

  it('does not trust the stat of a file that was written just now', () =>
    withFolder((root) => {
      writeTree(root, { a: 'one' });
      const walking = walkWorkspace({
        root,
        cache: emptyCache(),
        force: false,
        maxFileBytes: 1e9,
        redact: (t) => t,
        clock: Date.now,
      });
      let next = walking.next();
      while (next.done !== true) next = walking.next();
      expect(walk(root, next.value.cache).read).toBe(1);
    }));

  it('sees a name that came, went or was replaced, though names are read only in folders with another time', () =>
    withFolder((root) => {
      writeTree(root, { 'a/x': '1', 'a/y': '2', 'b/z': '3', 'c/only': '4' });
      const first = walk(root);
      writeTree(root, { 'a/new': '5' });
      rmSync(join(root, 'b/z'));
      rmSync(join(root, 'c/only'));
      mkdirSync(join(root, 'c/only'));
      const next = walk(root, first.cache);
      expect(Object.keys(nodesOf(next)).toSorted()).toEqual(['a', 'a/new', 'a/x', 'a/y', 'b', 'c', 'c/only']);
      expect(nodesOf(next)).toEqual(nodesOf(walk(root)));
    }));

  it('does not rely on the time of a folder that changed just now, nor on one that was set back', () =>
    withFolder((root) => {
      writeTree(root, { 'a/x': '1' });
      const fresh = walk(root, emptyCache(), { clock: Date.now });
      expect(fresh.cache.folders.get('a')?.times).toBeNull();
      const later = walk(root, fresh.cache);
      expect(later).toMatchObject({ isChanged: true });
      const { mtime } = statSync(join(root, 'a'));
      writeTree(root, { 'a/y': '2' });
      utimesSync(join(root, 'a'), mtime, mtime);
      expect(Object.keys(nodesOf(walk(root, later.cache)))).toContain('a/y');
    }));

  it('never follows links, and reads nothing outside the root', () =>
    withFolder((root) => {
      writeTree(root, { a: 'x' });
      writeTree(join(root, '../outside'), { secret: 's' });
      symlinkSync('../outside', join(root, 'folder-link'));
      symlinkSync('../outside/secret', join(root, 'file-link'));
      symlinkSync('nowhere', join(root, 'broken'));
      symlinkSync('.', join(root, 'loop'));
      const before = nodesOf(walk(root));
      expect(Object.keys(before)).toEqual(['a', 'broken', 'file-link', 'folder-link', 'loop']);
      writeTree(join(root, '../outside'), { secret: 'changed' });
      expect(nodesOf(walk(root))).toEqual(before);
    }));

  it('records what is unreadable, too large or a device, and goes on', () =>
    withFolder((root) => {
      writeTree(root, { ok: 'x', big: 'x'.repeat(2000) });
      execFileSync('mkfifo', [join(root, 'pipe')]);
      const nodes = nodesOf(walk(root, emptyCache(), { maxFileBytes: 1000 }));
      expect(nodes['big']).toMatchObject({ kind: 'skipped', reason: 'it is too large' });
      expect(nodes['pipe']).toMatchObject({ kind: 'skipped', reason: 'it is not a regular file' });
      expect(nodes['ok']).toMatchObject({ kind: 'file' });
    }));

  it('records a file and a folder without permission, and goes on', () =>
    withFolder((root) => {
      writeTree(root, { 'shut/x': 'x', locked: 'x', ok: 'x' });
      chmodSync(dirname(root), 0o755);
      chmodSync(join(root, 'shut'), 0);
      chmodSync(join(root, 'locked'), 0);
      const { folders } = walkElsewhere(root, process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});
      chmodSync(join(root, 'shut'), 0o700);
      expect(folders.map(({ path }) => path)).toEqual(['']);
      expect(folders[0]?.put.map(([own, kind, , , , reason]) => [own, kind, reason])).toEqual([
        ['locked', 'skipped', 'it cannot be read'],
        ['ok', 'file', undefined],
        ['shut', 'skipped', 'it cannot be read'],
      ]);
    }));

  it('leaves out what vanishes while it walks', () =>
    withFolder((root) => {
      writeTree(root, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, 'x'])));
      const walking = walkWorkspace({
        root,
        cache: emptyCache(),
        force: false,
        maxFileBytes: 1e9,
        redact: (t) => t,
        clock: Date.now,
      });
      walking.next();
      rmSync(root, { recursive: true });
      let next = walking.next();
      while (next.done !== true) next = walking.next();
      expect(next.value.vanished).toBeGreaterThan(200);
      expect(next.value.read + next.value.vanished).toBe(300);
    }));

  it('takes names of any bytes', () =>
    withFolder((root) => {
      mkdirSync(root);
      const names = [
        Buffer.from([0x61, 0xff, 0x62]),
        Buffer.from('é\\xff'),
        Buffer.from('new\nline'),
        Buffer.from('\\x41'),
      ];
      for (const each of names) writeFileSync(Buffer.concat([Buffer.from(`${root}/`), each]), each);
      const nodes = nodesOf(walk(root));
      expect(Object.keys(nodes).toSorted()).toEqual(['\\x5cx41', 'a\\xffb', 'new\nline', 'é\\x5cxff']);
      expect(nodes['a\\xffb']?.id).toBe(hash('sha256', names[0] as Buffer));
    }));

  it('obeys .gitignore and .okaignore, the deepest first, and notices when they change', () =>
    withFolder((root) => {
      writeTree(root, {
        '.gitignore': '*.log\nbuild/\n',
        '.okaignore': 'private\n',
        'a.log': '',
        'build/x': '',
        'deep/.gitignore': '!keep.log\n',
        'deep/keep.log': 'x',
        'deep/other.log': '',
        'private/x': '',
        '.git/config': '',
        b: '',
      });
      const first = walk(root);
      expect(Object.keys(nodesOf(first)).toSorted()).toEqual([
        '.gitignore',
        '.okaignore',
        'b',
        'deep',
        'deep/.gitignore',
        'deep/keep.log',
      ]);
      expect(walk(root, first.cache).isChanged).toBe(false);
      writeFileSync(join(root, '.gitignore'), '');
      expect(Object.keys(nodesOf(walk(root, first.cache)))).toContain('build/x');
    }));

  it('is not stopped by a hostile pattern', () =>
    withFolder((root) => {
      writeTree(root, { '.gitignore': `${'*a'.repeat(40)}b\nx\n`, ['a'.repeat(250)]: '', x: '' });
      expect(Object.keys(nodesOf(walk(root)))).toHaveLength(2);
    }));

  it('does not record a secret in a name', () =>
    withFolder((root) => {
      writeTree(root, { 'ghp_abcdef.txt': 'x' });
      const walked = walk(root);
      expect(Object.values(nodesOf(walked))).toMatchObject([{ kind: 'skipped', reason: 'its name contains a secret' }]);
      expect(Buffer.concat(encodeCache(walked.cache)).toString()).not.toContain('ghp_');
      expect(rootOf(walk(root, walked.cache))).toBe(rootOf(walked));
    }));

  it('gives a moved folder the id it had', () =>
    withFolder((root) => {
      writeTree(root, { 'a/b/c': 'x', 'a/d': 'y' });
      const first = walk(root);
      renameSync(join(root, 'a'), join(root, 'z'));
      expect(nodesOf(walk(root, first.cache))['z']?.id).toBe(nodesOf(first)['a']?.id);
    }));

  it('stores a cache that is read back, and does without one that is damaged', () =>
    withFolder((root) => {
      writeTree(root, { 'a/b': 'x', c: 'y' });
      const { cache } = walk(root);
      const file = join(root, '../cache');
      const bytes = Buffer.concat(encodeCache(cache));
      writeFileSync(file, bytes);
      expect(walk(root, readCache(file))).toMatchObject({ read: 0, isChanged: false });
      for (const end of [0, 10, 40, bytes.length - 1]) {
        writeFileSync(file, bytes.subarray(0, end));
        expect(readCache(file).folders.size).toBe(0);
      }
      for (let at = 0; at < bytes.length; at += 7) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 1;
        writeFileSync(file, damaged);
        const isPadding = at >= 28 && at < 32;
        expect(readCache(file).folders.size).toBe(isPadding ? 2 : 0);
      }
    }));
});

const clashes = (path: string, other: string): boolean => path.startsWith(`${other}/`) || other.startsWith(`${path}/`);

it('a name becomes text and bytes again without a loss', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20 }), fc.constantFrom('', '\\', '\\x', '\\xff', 'é'), (bytes, middle) => {
      const given = Buffer.from(bytes).toString('latin1') + Buffer.from(middle).toString('latin1') + '41';
      expect(fromPathText(toPathText(given))).toBe(given);
    }),
  );
});
