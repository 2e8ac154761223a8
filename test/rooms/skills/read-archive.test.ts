import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArchive } from '../../../src/rooms/skills/read-archive.ts';
import { SOUND_SKILLS, writeSkill } from '../../support/skills.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oka-archive-'));
  writeSkill(folder, 'csv-totals', SOUND_SKILLS['csv-totals'] ?? {});
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Entry = { path: string; text: string; mode?: number; size?: number };

/** A zip archive, written here, so that its entries can be wrong. */
function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, text, mode = 0o100644, size = Buffer.byteLength(text) } of entries) {
    const packed = deflateRawSync(text);
    const name = Buffer.from(path);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(at, 42);
    parts.push(local, name, packed);
    directory.push(entry, name);
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const pathsIn = (bytes: Buffer): string[] => readArchive(bytes, 'a').map(({ path }) => path);

describe('reading an archive', () => {
  it.each([
    ['tar', ['-cf']],
    ['tar.gz', ['-czf']],
    ['pax.tar', ['--format=pax', '-cf']],
  ])('gives the files that tar has put into a %s, with their execute bits', (ending, flags) => {
    const file = join(folder, `skill.${ending}`);
    execFileSync('tar', [...flags, file, '-C', folder, 'csv-totals']);
    const files = readArchive(readFileSync(file), 'skill');
    expect(Object.fromEntries(files.map(({ path, isExecutable }) => [path, isExecutable]))).toEqual({
      'csv-totals/SKILL.md': false,
      'csv-totals/scripts/total.py': true,
    });
    expect(files.find(({ path }) => path.endsWith('.py'))?.content.toString()).toBe(
      SOUND_SKILLS['csv-totals']?.['scripts/total.py'],
    );
  });

  it('gives the files of a zip, unpacked', () => {
    const files = readArchive(
      zipOf([
        { path: 'a/SKILL.md', text: 'hello' },
        { path: 'a/b.sh', text: 'x', mode: 0o100755 },
      ]),
      'a',
    );
    expect(files.map(({ path, content, isExecutable }) => [path, content.toString(), isExecutable])).toEqual([
      ['a/SKILL.md', 'hello', false],
      ['a/b.sh', 'x', true],
    ]);
  });

  it.each<[string, () => Buffer, string]>([
    ['a path that leaves its folder', () => zipOf([{ path: '../evil', text: 'x' }]), 'no plain relative path'],
    ['an absolute path', () => zipOf([{ path: '/etc/evil', text: 'x' }]), 'no plain relative path'],
    ['a path of Windows', () => zipOf([{ path: 'a\\..\\evil', text: 'x' }]), 'no plain relative path'],
    ['a link', () => zipOf([{ path: 'a', text: '/etc/passwd', mode: 0o120777 }]), 'a is a link'],
    [
      'two files of one name',
      () =>
        zipOf([
          { path: 'a', text: 'x' },
          { path: 'A', text: 'y' },
        ]),
      'two files called A',
    ],
    [
      'more files than a skill may have',
      () => zipOf(Array.from({ length: 501 }, (_, at) => ({ path: `f${at}`, text: 'x' }))),
      'more than 500 files',
    ],
    [
      'a file that states a size beyond the bound',
      () => zipOf([{ path: 'a', text: 'x', size: 30 * 1024 * 1024 }]),
      'more than 20 MB',
    ],
    [
      'a file that is larger than it states',
      () => zipOf([{ path: 'a', text: 'x'.repeat(100_000), size: 10 }]),
      'larger than it says',
    ],
    ['gzip that unpacks to too much', () => gzipSync(Buffer.alloc(41 * 1024 * 1024)), 'unpacks to too much'],
    ['bytes that are no archive', () => Buffer.alloc(2048, 'x'), 'neither a zip nor a tar archive'],
    ['a zip without a directory', () => zipOf([{ path: 'a', text: 'x' }]).subarray(0, 40), 'its directory is missing'],
  ])('refuses %s', (_, make, why) => {
    expect(() => pathsIn(make())).toThrow(why);
  });

  it('refuses a tar archive with a link, and one that climbs out', () => {
    symlinkSync('/etc/passwd', join(folder, 'link'));
    execFileSync('tar', ['-cf', join(folder, 'link.tar'), '-C', folder, 'link']);
    expect(() => pathsIn(readFileSync(join(folder, 'link.tar')))).toThrow('link is a link');
    writeFileSync(join(folder, 'f'), 'x');
    execFileSync('tar', ['-cPf', join(folder, 'up.tar'), '--transform=s,^,../,', '-C', folder, 'f']);
    expect(() => pathsIn(readFileSync(join(folder, 'up.tar')))).toThrow('no plain relative path');
  });
});
