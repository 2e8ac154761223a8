/** A hundred programs of Debian's own list (with a few libraries), from the failure of a step to an entry that resolves. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../../src/kit/settings.ts';
import { chooseRemedy } from '../../../../src/rooms/dependencies/install/choose-remedy.ts';
import { contentsOf, readContents } from '../../../../src/rooms/dependencies/install/debian-contents.ts';
import { detect } from '../../../../src/rooms/dependencies/install/detect.ts';
import { findPresent } from '../../../../src/rooms/dependencies/install/find-present.ts';
import { oka, temporaryFolder } from '../../../support/cli.ts';

const SAMPLE = join(import.meta.dirname, '../../../fixture/debian/Contents-sample');
const text = readFileSync(SAMPLE, 'utf8');
const machine = { os: 'linux', cpu: 'x64' };

describe("Debian's list of files", () => {
  it('gives programs, libraries, names of pkg-config and fonts, each with the package that is named like it', () => {
    const tables = readContents(
      `${text}usr/bin/pdfgrep   extra/all-tools,utils/pdfgrep\nusr/share/doc/x/README   doc/x\nnot a line at all\nusr/share/fonts/truetype/lato/Lato-Bold.ttf   fonts/fonts-lato\n`,
    );
    expect(Object.keys(tables.commands)).toHaveLength(100);
    expect(tables.commands).toMatchObject({ pdfgrep: 'pdfgrep', nft: 'nftables', 'mkfs.btrfs': 'btrfs-progs' });
    expect(tables.libraries).toMatchObject({ 'libvulkan.so.1': 'libvulkan1' });
    expect(tables.pkgconfig).toMatchObject({ vulkan: 'libvulkan-dev' });
    expect(tables.fonts).toEqual({ 'Lato-Bold': 'fonts-lato' });
  });

  it('is taken by a command, packed or not, and only with the hash that was given', async () => {
    using folder = temporaryFolder();
    const take = (...words: string[]): ReturnType<typeof oka> =>
      oka('requirements', 'contents', ...words, '--dir', folder.dir);
    await oka('init', '--dir', folder.dir);
    const contents = contentsOf(homeAt(folder.dir));
    expect(contents({ kind: 'command', name: 'zbarimg' })).toBeNull();
    expect(await take(SAMPLE, '--sha256', '0'.repeat(64))).toMatchObject({
      code: 3,
      err: expect.stringContaining('not the one that was given'),
    });
    const packed = join(folder.dir, 'Contents.gz');
    writeFileSync(packed, gzipSync(text));
    expect((await take(packed)).out).toMatch(/^Took 100 programs and 3 libraries from it/);
    expect(contents({ kind: 'command', name: 'zbarimg' })).toEqual(['zbar-tools']);
    expect(contents({ kind: 'command', name: 'toString' })).toBeNull();
    expect(contents({ kind: 'library', name: 'libseccomp.so.2' })).toEqual(['libseccomp2']);
    writeFileSync(packed, 'nothing of that kind');
    expect((await take(packed)).err).toContain('it is no Contents file');
  });

  it('gives each of a hundred missing programs an entry with its package, which resolves when it is there', () => {
    using folder = temporaryFolder();
    const bin = join(folder.dir, 'bin');
    mkdirSync(bin);
    const { commands } = readContents(text);
    const around = {
      machine,
      binaries: [],
      contents: ({ name }: { name: string }) => (Object.hasOwn(commands, name) ? [commands[name] ?? ''] : null),
    };
    const left = Object.keys(commands).flatMap((name) => {
      const need = detect({ exit: 127, text: `bash: line 1: ${name}: command not found\n`, command: name });
      if (need?.name !== name) return [`${name}: not noticed`];
      const remedy = chooseRemedy(need, around);
      const isAsked = remedy.kind === 'person' && remedy.packages.length === 1;
      if (!isAsked && remedy.kind !== 'install') return [`${name}: ${JSON.stringify(remedy)}`];
      const eyes = { path: bin, python: '', modules: '' };
      if (findPresent(need, eyes).there) return [`${name}: there before`];
      writeFileSync(join(bin, name), '#!/bin/sh\n');
      chmodSync(join(bin, name), 0o755);
      return findPresent(need, eyes).there ? [] : [`${name}: not there`];
    });
    expect(left).toEqual([]);
  });
});
