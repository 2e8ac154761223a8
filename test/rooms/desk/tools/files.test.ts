import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OkaError } from '../../../../src/core/schema/errors.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { ArtifactRef, Outcome } from '../../../../src/core/schema/tool.ts';
import { filesTools } from '../../../../src/rooms/desk/tools/files.ts';
import { errorOf, ground, put, use } from './support.ts';

const { desk, artifacts } = ground();
const tools = new Map(filesTools({ desk, artifacts }).map((tool) => [tool.name, tool]));
const call = (name: string, input: Json): Promise<Outcome> => use(tools.get(`files.${name}`), input);
const textIn = (path: string): string => readFileSync(join(desk, path), 'utf8');

describe('a file that makes other programs run', () => {
  it('is not changed through a link with a harmless name, only under its own', async () => {
    mkdirSync(join(desk, 'repo/.git/hooks'), { recursive: true });
    symlinkSync('repo/.git/hooks', join(desk, 'notes-link'));
    const linked = { path: 'notes-link/pre-commit', content: 'evil' };
    expect(await call('write', linked)).toMatchObject({
      status: 'denied',
      error: expect.stringContaining('repo/.git/hooks/pre-commit, which makes other programs run'),
    });
    put(desk, 'evil', 'x');
    expect((await call('move', { from: 'evil', to: linked.path })).status).toBe('denied');
    expect(readdirSync(join(desk, 'repo/.git/hooks'))).toEqual([]);
    expect((await call('write', { path: 'repo/.git/hooks/pre-commit', content: 'asked' })).status).toBe('ok');
  });
});

describe('files.read', () => {
  it('gives the text of a file', async () => {
    put(desk, 'notes/a.txt', '\uFEFFgrün\r\n');
    expect(await call('read', { path: 'notes/a.txt' })).toEqual({
      status: 'ok',
      output: { path: 'notes/a.txt', size: 10, content: '\uFEFFgrün\r\n', binary: false },
    });
  });

  it('takes an absolute path below the desk, a doubled slash, a dot and a link inside the desk', async () => {
    put(desk, 'real/b.txt', 'b');
    symlinkSync('real', join(desk, 'alias'));
    symlinkSync('real/b.txt', join(desk, 'b-link'));
    for (const path of [join(desk, 'real/b.txt'), './real//./b.txt', 'alias/b.txt', 'b-link'])
      expect(await call('read', { path })).toMatchObject({ status: 'ok', output: { content: 'b' } });
  });

  it('gives parts that make the whole, wherever they are cut', async () => {
    const text = 'aß€😀'.repeat(4);
    put(desk, 'parts.txt', text);
    const size = Buffer.byteLength(text);
    for (let length = 1; length <= size + 1; length += 1) {
      let whole = '';
      for (let offset = 0; offset < size; offset += length)
        whole += contentOf(await call('read', { path: 'parts.txt', offset, length }));
      expect(whole, `in parts of ${length} bytes`).toBe(text);
    }
  });

  it('gives nothing behind the end, and the rest when no length is said', async () => {
    put(desk, 'short.txt', 'abcdef');
    expect(contentOf(await call('read', { path: 'short.txt', offset: 100 }))).toBe('');
    expect(contentOf(await call('read', { path: 'short.txt', offset: 4 }))).toBe('ef');
    expect(contentOf(await call('read', { path: 'short.txt', length: 2 }))).toBe('ab');
  });

  it('keeps a long file as an artifact and gives its head and tail', async () => {
    const text = Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join('');
    put(desk, 'long.txt', text);
    const outcome = await call('read', { path: 'long.txt' });
    expect(contentOf(outcome)).toMatch(/^line 0\n[^]*bytes left out[^]*line 19999\n$/);
    const { artifact } = outputOf(outcome) as { artifact: ArtifactRef };
    expect(artifact).toMatchObject({ name: 'long.txt', media: 'text/plain' });
    expect((await artifacts.get(artifact)).toString()).toBe(text);
    expect(outcome).toMatchObject({ artifacts: [artifact] });
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xfe])],
    ['Latin-1', Buffer.from('grün', 'latin1')],
    ['NULs', Buffer.from('a\0b')],
    ['half a character', Buffer.from('€').subarray(0, 2)],
  ])('does not mangle %s: it is counted and kept', async (_, bytes) => {
    put(desk, 'binary', bytes);
    const outcome = await call('read', { path: 'binary' });
    expect(outputOf(outcome)).toMatchObject({
      size: bytes.length,
      content: `[${bytes.length} bytes that are not text]`,
      binary: true,
    });
    expect(await artifacts.get((outputOf(outcome) as { artifact: ArtifactRef }).artifact)).toEqual(bytes);
  });

  it('takes parts of a file that is too large to read at once', async () => {
    put(desk, 'huge.txt', 'begin');
    truncateSync(join(desk, 'huge.txt'), 3_000_000_000);
    expect(errorOf(await call('read', { path: 'huge.txt' }))).toMatch(/3000000000 bytes.*offset and length/);
    expect(contentOf(await call('read', { path: 'huge.txt', length: 5 }))).toBe('begin');
  });

  it('fails, and is not denied, when the store refuses to keep it', async () => {
    put(desk, 'kept.bin', Buffer.from([0xff]));
    const refusing = () => Promise.reject(new OkaError('not-permitted', 'the artifacts cannot be written'));
    const [read] = filesTools({ desk, artifacts: { put: refusing, get: refusing } });
    expect(await use(read, { path: 'kept.bin' })).toEqual({
      status: 'failed',
      error: 'the artifacts cannot be written',
    });
  });

  it('says what is wrong and what to do', async () => {
    mkdirSync(join(desk, 'folder'));
    put(desk, 'plain.txt');
    expect(await call('read', { path: 'none.txt' })).toEqual({
      status: 'failed',
      error: 'none.txt is not there. See what is with files.list.',
    });
    expect(errorOf(await call('read', { path: 'folder' }))).toMatch(/^folder is a folder\. .*files\.list/);
    expect(errorOf(await call('read', { path: '.' }))).toMatch(/is the desk itself/);
    expect(errorOf(await call('read', { path: 'plain.txt/x' }))).toMatch(/not a folder/);
    expect(errorOf(await call('read', { path: 'n'.repeat(300) }))).toMatch(/too long a name/);
  });
});

describe('files.list', () => {
  const at = ground();
  const [list] = filesTools(at).filter((tool) => tool.name === 'files.list');
  put(at.desk, 'b/c.txt', 'ccc');
  put(at.desk, 'a.txt', 'a');
  symlinkSync(at.outside, join(at.desk, 'b/away'));

  it('shows files with their size, folders and links, sorted', async () => {
    expect(outputOf(await use(list, {}))).toEqual({
      entries: [
        { path: 'a.txt', kind: 'file', bytes: 1 },
        { path: 'b', kind: 'folder' },
      ],
      more: false,
    });
  });

  it('goes down when asked to, and never through a link', async () => {
    expect(outputOf(await use(list, { path: './b/', recursive: true }))).toEqual({
      entries: [
        { path: 'b/away', kind: 'link' },
        { path: 'b/c.txt', kind: 'file', bytes: 3 },
      ],
      more: false,
    });
    expect(outputOf(await use(list, { recursive: true }))).toMatchObject({ entries: { length: 4 } });
  });

  it('stops at the limit and says so', async () => {
    expect(outputOf(await use(list, { recursive: true, limit: 2 }))).toMatchObject({
      entries: { length: 2 },
      more: true,
    });
    expect(outputOf(await use(list, { recursive: true, limit: 4 }))).toMatchObject({ more: false });
  });

  it('is cancelled when it is stopped', async () => {
    expect(await use(list, {}, AbortSignal.abort())).toMatchObject({ status: 'cancelled' });
  });

  it('does not go down without end', async () => {
    const deep = ground();
    mkdirSync(join(deep.desk, 'd/'.repeat(150)), { recursive: true });
    const [list] = filesTools(deep).filter((tool) => tool.name === 'files.list');
    expect(errorOf(await use(list, { recursive: true }))).toMatch(/nested too deep/);
  });
});

describe('files.search', () => {
  const at = ground();
  const [search] = filesTools(at).filter((tool) => tool.name === 'files.search');
  put(at.desk, 'src/a.txt', 'one\ntwo (2)\nthree\n');
  put(at.desk, 'src/deep/b.txt', `two (2) and two\n${'x'.repeat(1000)} two\n`);
  put(at.desk, 'src/c.bin', Buffer.from('two\0'));
  put(at.desk, 'src/large.txt', 'two\n'.repeat(600_000));
  symlinkSync(at.outside, join(at.desk, 'src/away'));

  it('finds a text as it is written, with file and line', async () => {
    expect(outputOf(await use(search, { pattern: 'two (2)' }))).toEqual({
      matches: [
        { path: 'src/a.txt', line: 2, text: 'two (2)' },
        { path: 'src/deep/b.txt', line: 1, text: 'two (2) and two' },
      ],
      more: false,
      skipped: 2,
    });
  });

  it('finds a regular expression', async () => {
    const { matches } = outputOf(await use(search, { pattern: '^t\\w+$', regex: true, path: 'src' })) as {
      matches: Json[];
    };
    expect(matches).toEqual([{ path: 'src/a.txt', line: 3, text: 'three' }]);
  });

  it('cuts long lines and stops at the limit', async () => {
    expect(outputOf(await use(search, { pattern: 'two', limit: 2 }))).toMatchObject({
      matches: { length: 2 },
      more: true,
    });
    const { matches } = outputOf(await use(search, { pattern: 'xx two' })) as { matches: { text: string }[] };
    expect(matches[0]?.text).toHaveLength(400);
  });

  it('looks into nothing outside the desk', async () => {
    expect(outputOf(await use(search, { pattern: 'outside' }))).toMatchObject({ matches: [] });
  });

  it('fails for a pattern that is none, and for one that never ends', async () => {
    put(at.desk, 'src/deep/slow.txt', `${'a'.repeat(60)}!\n`);
    expect(errorOf(await use(search, { pattern: '(', regex: true }))).toMatch(/Invalid regular expression/);
    expect(errorOf(await use(search, { pattern: '(a+)+$', regex: true, path: 'src/deep' }))).toMatch(/takes too long/);
  });
});

describe('files.write', () => {
  it('makes the file and the folders on the way', async () => {
    expect(await call('write', { path: 'new/deep/x.txt', content: 'grün' })).toEqual({
      status: 'ok',
      output: { path: 'new/deep/x.txt', size: 5 },
    });
    expect(textIn('new/deep/x.txt')).toBe('grün');
    expect(statSync(join(desk, 'new/deep/x.txt')).mode & 0o777).toBe(0o644);
  });

  it('replaces what was there, keeps its mode and leaves nothing else behind', async () => {
    chmodSync(put(desk, 'scripts/run.sh', 'old and longer'), 0o750);
    await call('write', { path: 'scripts/run.sh', content: 'new' });
    expect(textIn('scripts/run.sh')).toBe('new');
    expect(statSync(join(desk, 'scripts/run.sh')).mode & 0o777).toBe(0o750);
    expect(readdirSync(join(desk, 'scripts'))).toEqual(['run.sh']);
  });

  it('adds to the end', async () => {
    await call('write', { path: 'log.txt', content: 'a\n', append: true });
    expect(await call('write', { path: 'log.txt', content: 'b\n', append: true })).toMatchObject({
      output: { size: 4 },
    });
    expect(textIn('log.txt')).toBe('a\nb\n');
  });

  it('writes through a link inside the desk and keeps the link', async () => {
    put(desk, 'target.txt', 'old');
    symlinkSync('target.txt', join(desk, 'to-target'));
    await call('write', { path: 'to-target', content: 'new' });
    expect([textIn('target.txt'), textIn('to-target')]).toEqual(['new', 'new']);
  });

  it('fails for a folder, for a path through a file and for a text that is too long', async () => {
    mkdirSync(join(desk, 'dir'));
    put(desk, 'leaf');
    expect(errorOf(await call('write', { path: 'dir', content: '' }))).toMatch(/^dir is a folder/);
    expect(errorOf(await call('write', { path: 'leaf/x', content: '' }))).toMatch(/not a folder/);
    expect(await call('write', { path: 'x', content: 'x'.repeat(5_000_001) })).toMatchObject({ status: 'failed' });
  });
});

describe('files.edit', () => {
  it('replaces the one place, and takes the new text as it is', async () => {
    chmodSync(put(desk, 'edit.txt', 'a b c'), 0o600);
    expect(await call('edit', { path: 'edit.txt', old: 'b', new: "$& $1 $'" })).toEqual({
      status: 'ok',
      output: { path: 'edit.txt', size: 12, replaced: 1 },
    });
    expect(textIn('edit.txt')).toBe("a $& $1 $' c");
    expect(statSync(join(desk, 'edit.txt')).mode & 0o777).toBe(0o600);
  });

  it('replaces every place when asked to', async () => {
    put(desk, 'all.txt', 'x.x.x');
    expect(await call('edit', { path: 'all.txt', old: 'x', new: '', all: true })).toMatchObject({
      output: { replaced: 3 },
    });
    expect(textIn('all.txt')).toBe('..');
  });

  it.each([
    ['missing', { old: 'z' }, /the old text is not in twice\.txt\. Read it again/],
    ['ambiguous', { old: 'x' }, /the old text is 2 times in twice\.txt\. Quote more/],
    ['empty', { old: '' }, /old/],
  ])('fails when the old text is %s, and changes nothing', async (_, { old }, words) => {
    put(desk, 'twice.txt', 'x x');
    const outcome = await call('edit', { path: 'twice.txt', old, new: 'y' });
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toMatch(words);
    expect(textIn('twice.txt')).toBe('x x');
  });

  it('fails for a file that is not there or not text', async () => {
    put(desk, 'bytes', Buffer.from([0xff, 0x78]));
    expect(errorOf(await call('edit', { path: 'none', old: 'x', new: 'y' }))).toMatch(/none is not there/);
    expect(errorOf(await call('edit', { path: 'bytes', old: 'x', new: 'y' }))).toMatch(/bytes is not text/);
  });
});

describe('files.move', () => {
  it('moves a file and a folder, making the folders on the way', async () => {
    put(desk, 'm/a.txt', 'a');
    expect(await call('move', { from: 'm/a.txt', to: 'm2/deep/b.txt' })).toMatchObject({ status: 'ok' });
    expect(await call('move', { from: 'm2', to: 'm3' })).toMatchObject({ status: 'ok' });
    expect(textIn('m3/deep/b.txt')).toBe('a');
    expect(existsSync(join(desk, 'm/a.txt'))).toBe(false);
  });

  it('replaces nothing', async () => {
    put(desk, 'from.txt', 'from');
    put(desk, 'to.txt', 'to');
    expect(errorOf(await call('move', { from: 'from.txt', to: 'to.txt' }))).toMatch(/^to\.txt is there already/);
    expect([textIn('from.txt'), textIn('to.txt')]).toEqual(['from', 'to']);
  });

  it('fails for what is not there, for the desk and for a folder into itself', async () => {
    put(desk, 'self/x');
    expect(errorOf(await call('move', { from: 'none', to: 'x' }))).toMatch(/^none is not there/);
    expect(errorOf(await call('move', { from: '.', to: 'x' }))).toMatch(/the desk itself/);
    expect(errorOf(await call('move', { from: 'self', to: 'self/inner' }))).toMatch(/is inside what is to be moved/);
  });
});

describe('files.remove', () => {
  it('removes a file, an empty folder, and a full one only when asked to', async () => {
    put(desk, 'gone/a/b.txt');
    mkdirSync(join(desk, 'empty'));
    expect(errorOf(await call('remove', { path: 'gone' }))).toMatch(/something in it\. Set recursive/);
    expect(await call('remove', { path: 'gone/a/b.txt' })).toMatchObject({ status: 'ok' });
    expect(await call('remove', { path: 'empty' })).toMatchObject({ status: 'ok' });
    put(desk, 'gone/c.txt');
    expect(await call('remove', { path: 'gone', recursive: true })).toMatchObject({ status: 'ok' });
    expect(existsSync(join(desk, 'gone'))).toBe(false);
  });

  it('with missing_ok it is done when nothing is there, and only then', async () => {
    put(desk, 'once/a.txt');
    for (let times = 0; times < 2; times += 1)
      expect(await call('remove', { path: 'once/a.txt', missing_ok: true })).toMatchObject({ status: 'ok' });
    expect(await call('remove', { path: 'never/was/here', missing_ok: true })).toMatchObject({ status: 'ok' });
    put(desk, 'full/a.txt');
    expect(errorOf(await call('remove', { path: 'full', missing_ok: true }))).toMatch(/something in it/);
    expect(await call('remove', { path: '../x', missing_ok: true })).toMatchObject({ status: 'denied' });
  });

  it('removes a link and leaves alone what it leads to', async () => {
    const at = ground();
    const [remove] = filesTools(at).filter((tool) => tool.name === 'files.remove');
    symlinkSync(at.outside, join(at.desk, 'away'));
    put(at.desk, 'folder/x');
    symlinkSync(at.outside, join(at.desk, 'folder/away'));
    expect(await use(remove, { path: 'away', recursive: true })).toMatchObject({ status: 'ok' });
    expect(await use(remove, { path: 'folder', recursive: true })).toMatchObject({ status: 'ok' });
    expect(readdirSync(at.desk)).toEqual([]);
    expect(readdirSync(at.outside)).toEqual(['secret.txt']);
  });

  it('fails for what is not there and for the desk itself', async () => {
    expect(errorOf(await call('remove', { path: 'none' }))).toMatch(/^none is not there/);
    expect(errorOf(await call('remove', { path: '.', recursive: true }))).toMatch(/the desk itself/);
  });
});

describe('the fingerprint of what is read', () => {
  const at = ground();
  const [read, list, search] = filesTools(at);
  const stamps = async (): Promise<(string | undefined)[]> => [
    await read?.fingerprint?.({ path: 'src/a.txt' }),
    await list?.fingerprint?.({ path: 'src', recursive: true }),
    await search?.fingerprint?.({ path: 'src', pattern: 'x' }),
  ];
  const settled = async (): Promise<(string | undefined)[]> => {
    for (;;) {
      const [one, two] = [await stamps(), await stamps()];
      if (JSON.stringify(one) === JSON.stringify(two)) return one;
    }
  };

  it('stays while nothing changes, and changes with content, name and mode', async () => {
    put(at.desk, 'src/a.txt', 'one');
    put(at.desk, 'src/deep/b.txt', 'b');
    const first = await settled();
    expect(new Set(first)).not.toContain(undefined);
    put(at.desk, 'src/a.txt', 'two');
    const second = await settled();
    put(at.desk, 'src/deep/c.txt', 'c');
    const third = await settled();
    chmodSync(join(at.desk, 'src/a.txt'), 0o600);
    const fourth = await settled();
    expect(second.map((stamp, index) => stamp === first[index])).toEqual([false, false, false]);
    expect(third.map((stamp, index) => stamp === second[index])).toEqual([true, false, false]);
    expect(fourth.map((stamp, index) => stamp === third[index])).toEqual([false, false, false]);
  });

  it('is never the same for what cannot be read', async () => {
    for (const path of ['none', '../outside', 7])
      expect(await read?.fingerprint?.({ path })).not.toBe(await read?.fingerprint?.({ path }));
  });
});

describe('what is known of them before a call', () => {
  it('tells looking from changing', () => {
    const about = [...tools.values()].map((tool) => [
      tool.name,
      tool.classOf({}),
      ...Object.entries(tool.annotations).flatMap(([key, value]) => (value === true ? [key] : [])),
      ...tool.targets,
    ]);
    expect(about).toEqual([
      ['files.read', 'read', 'read_only', 'idempotent', 'cacheable', 'path'],
      ['files.list', 'read', 'read_only', 'idempotent', 'cacheable', 'path'],
      ['files.search', 'read', 'read_only', 'idempotent', 'cacheable', 'path'],
      ['files.write', 'write_local', 'destructive', 'path'],
      ['files.edit', 'write_local', 'destructive', 'path'],
      ['files.move', 'write_local', 'destructive', 'from', 'to'],
      ['files.remove', 'write_local', 'destructive', 'path'],
    ]);
  });

  it('works in a desk that is reached by a link', async () => {
    const at = ground();
    symlinkSync(at.desk, join(at.root, 'desk-link'));
    put(at.desk, 'a.txt', 'a');
    const [read] = filesTools({ desk: join(at.root, 'desk-link') });
    for (const path of ['a.txt', join(at.root, 'desk-link/a.txt')])
      expect(await use(read, { path })).toMatchObject({ status: 'ok', output: { content: 'a' } });
  });

  it('a second name keeps a file from being written, not from being read', async () => {
    const at = ground();
    const [read, , , write] = filesTools(at);
    linkSync(join(at.outside, 'secret.txt'), join(at.desk, 'twin'));
    expect(await use(read, { path: 'twin' })).toMatchObject({ status: 'ok' });
    expect(await use(write, { path: 'twin', content: 'x' })).toMatchObject({ status: 'denied' });
    expect(readFileSync(join(at.outside, 'secret.txt'), 'utf8')).toBe('outside');
  });
});

function outputOf(outcome: Outcome): Json {
  if (outcome.status !== 'ok') throw new Error(errorOf(outcome));
  return outcome.output;
}

function contentOf(outcome: Outcome): string {
  return (outputOf(outcome) as { content: string }).content;
}

it('what may be done twice depends on the input: a whole write and a removal that minds nothing, but no addition', () => {
  const twice = (name: string, input: Json): boolean | undefined =>
    filesTools({ desk })
      .find((tool) => tool.name === `files.${name}`)
      ?.idempotent?.(input);
  expect(twice('write', { path: 'a', content: 'x' })).toBe(true);
  expect(twice('write', { path: 'a', content: 'x', append: true })).toBe(false);
  expect(twice('write', { path: 'a' })).toBe(false);
  expect(twice('remove', { path: 'a' })).toBe(false);
  expect(twice('remove', { path: 'a', missing_ok: true })).toBe(true);
  expect([twice('edit', { path: 'a', old: 'b', new: 'c' }), twice('move', { from: 'a', to: 'b' })]).toEqual([
    undefined,
    undefined,
  ]);
});
