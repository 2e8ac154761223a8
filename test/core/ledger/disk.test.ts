import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFile, replaceFile, replaceFileAsync, writeNewFile } from '../../../src/core/ledger/disk.ts';
import { freshFolder } from '../../support/ledger-samples.ts';

const replacing = [
  ['replaceFile', async (file: string, text: string) => replaceFile(file, text, { durable: true })],
  ['replaceFileAsync', (file: string, text: string) => replaceFileAsync(file, Buffer.from(text))],
] as const;

describe.each(replacing)('%s', (_, replace) => {
  it('replaces the content and leaves no temporary file', async () => {
    const folder = freshFolder();
    const file = join(folder, 'a');
    await replace(file, 'old');
    await replace(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it.each(['a link', 'a pipe', 'the remains of a crash, read-only'])(
    'replaces %s under the temporary name without opening it',
    async (what) => {
      const folder = freshFolder();
      const [file, precious] = [join(folder, 'a'), join(folder, 'precious')];
      const temporary = `${file}.${process.pid}.tmp`;
      writeFileSync(precious, 'precious');
      if (what === 'a link') symlinkSync(precious, temporary);
      else if (what === 'a pipe') execFileSync('mkfifo', [temporary]);
      else writeFileSync(temporary, 'half', { mode: 0o400 });
      await replace(file, 'new');
      expect(readFileSync(file, 'utf8')).toBe('new');
      expect(lstatSync(file).isFile()).toBe(true);
      expect(readFileSync(precious, 'utf8')).toBe('precious');
      expect(readdirSync(folder)).toEqual(['a', 'precious']);
    },
  );

  it('leaves what was there, and no temporary file, when it cannot replace it', async () => {
    const folder = freshFolder();
    const file = join(folder, 'a');
    mkdirSync(join(file, 'inside'), { recursive: true });
    await expect(replace(file, 'new')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['a']);
    expect(existsSync(join(file, 'inside'))).toBe(true);
  });
});

it('replaces a file by content that comes in chunks, and leaves the old file when the chunks fail', async () => {
  const folder = freshFolder();
  const file = join(folder, 'a');
  await replaceFileAsync(
    file,
    (async function* () {
      const reused = Buffer.alloc(4);
      for (const text of ['one ', 'two ', 'six.']) {
        reused.write(text);
        yield reused;
      }
    })(),
  );
  expect(readFileSync(file, 'utf8')).toBe('one two six.');
  const failing = (async function* () {
    yield Buffer.from('half');
    throw new Error('no more');
  })();
  await expect(replaceFileAsync(file, failing)).rejects.toThrow('no more');
  expect(readFileSync(file, 'utf8')).toBe('one two six.');
  expect(readdirSync(folder)).toEqual(['a']);
});

describe('createFile', () => {
  it('creates a file with the permissions asked for, and the folder it is in', () => {
    const folder = freshFolder();
    const file = join(folder, 'new', 'a');
    createFile(file, 'first', { durable: true, mode: 0o600, folderMode: 0o700 });
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(lstatSync(file).nlink).toBe(1);
    expect(lstatSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'new'))).toEqual(['a']);
  });

  it('replaces neither a file nor a link that leads nowhere', () => {
    const folder = freshFolder();
    const [file, link] = [join(folder, 'a'), join(folder, 'link')];
    createFile(file, 'first');
    symlinkSync(join(folder, 'nowhere'), link);
    expect(() => createFile(file, 'second')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => createFile(link, 'second')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(readdirSync(folder)).toEqual(['a', 'link']);
  });
});

describe('writeNewFile', () => {
  it('sets exact permissions where the umask would take some away', () => {
    const folder = freshFolder();
    const [exact, masked] = [join(folder, 'exact'), join(folder, 'masked')];
    const before = process.umask(0o027);
    try {
      writeNewFile(exact, 'x', { mode: 0o755, exactMode: true });
      writeNewFile(masked, 'x', { mode: 0o755 });
    } finally {
      process.umask(before);
    }
    expect(lstatSync(exact).mode & 0o777).toBe(0o755);
    expect(lstatSync(masked).mode & 0o777).toBe(0o750);
  });

  it('sets when the content was last modified', () => {
    const file = join(freshFolder(), 'a');
    writeNewFile(file, 'x', { mtimeMs: Date.UTC(2020, 1, 3) });
    expect(lstatSync(file).mtimeMs).toBe(Date.UTC(2020, 1, 3));
  });

  it('does not write through a link, nor over a file', () => {
    const folder = freshFolder();
    const [file, link] = [join(folder, 'a'), join(folder, 'link')];
    writeFileSync(file, 'first');
    chmodSync(file, 0o666);
    symlinkSync(file, link);
    expect(() => writeNewFile(link, 'second')).toThrow(/EEXIST/);
    expect(() => writeNewFile(file, 'second')).toThrow(/EEXIST/);
    expect(readFileSync(file, 'utf8')).toBe('first');
  });
});
