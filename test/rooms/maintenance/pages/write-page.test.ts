import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PageEdit } from '../../../../src/kit/learning/page-text.ts';
import type { PagesFolder } from '../../../../src/kit/learning/page-files.ts';
import { scanPages } from '../../../../src/rooms/maintenance/pages/scan-pages.ts';
import { writePage } from '../../../../src/rooms/maintenance/pages/write-page.ts';
import { composeText } from '../../../../src/kit/learning/page-text.ts';

const PAGE = 'brain/LEARNINGS-general.md';
let oka = '';
let folder: PagesFolder = { oka: '', state: '' };
let told: string[] = [];
/** What the ledger knows. */
let lines: string[] = [];
let ours = ['# General', '', '- Ann likes tea'];

beforeEach(() => {
  oka = mkdtempSync(join(tmpdir(), 'oka-pages-'));
  told = [];
  lines = [];
  ours = ['# General', '', '- Ann likes tea'];
  folder = { oka, state: join(oka, 'maintenance/pages'), log: (line) => void told.push(line), quietMs: 0 };
});
afterEach(() => rmSync(oka, { recursive: true, force: true }));

const file = (): string => join(oka, PAGE);
const there = (): string => readFileSync(file(), 'utf8');
const rendered = (): string =>
  composeText({ lines: ours.map((text, index) => ({ text, mark: index === 2 ? 'fact:tea' : null })) }, lines);
const put = async (): Promise<PageEdit | null> => writePage(folder, PAGE, rendered());
const replacedFiles = (): string[] =>
  existsSync(join(oka, 'brain/.replaced')) ? readdirSync(join(oka, 'brain/.replaced')) : [];

/** What a pass does: look, write down, put until nobody has come in between. */
async function pass(): Promise<PageEdit[]> {
  const edits = await scanPages(folder, (page) => (page === PAGE ? rendered() : null));
  for (const edit of edits) lines = edit.lines;
  for (let edit = await put(); edit !== null; edit = await put()) {
    edits.push(edit);
    lines = edit.lines;
  }
  return edits;
}

describe('a page on disk', () => {
  it('is written, and left alone while it is as it should be', async () => {
    expect(await pass()).toEqual([]);
    expect(there()).toBe(rendered());
    const before = statSync(file(), { bigint: true });
    expect(await pass()).toEqual([]);
    expect(statSync(file(), { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
    expect(replacedFiles()).toEqual([]);
  });

  it('keeps what a person wrote when it is replaced', async () => {
    await pass();
    appendFileSync(file(), 'mine\n');
    ours.push('- Bob likes coffee');
    expect(await pass()).toEqual([{ page: PAGE, lines: ['mine'], removed: [], changed: [] }]);
    expect(there()).toBe(rendered());
    expect(there()).toContain('Bob likes coffee');
    expect(there()).toContain('\nmine\n');
    expect(await pass()).toEqual([]);
  });

  it('1 an edit made after the look goes back into its place and is told', async () => {
    await pass();
    ours.push('- new');
    appendFileSync(file(), 'in between\n');
    const edited = there();
    expect(await put()).toMatchObject({ lines: ['in between'] });
    expect(there()).toBe(edited);
    lines = ['in between'];
    expect(await put()).toBeNull();
    expect(there()).toBe(rendered());
  });

  it('3 what an editor writes into the file that was replaced is seen by the next look', async () => {
    await pass();
    const late = openSync(file(), 'a');
    ours.push('- new');
    await pass();
    writeSync(late, 'written late\n');
    expect(await pass()).toMatchObject([{ lines: ['written late'] }]);
    expect(there()).toContain('\nwritten late\n');
    writeSync(late, 'and later\n');
    closeSync(late);
    expect(await pass()).toMatchObject([{ lines: ['written late', 'and later'] }]);
    expect(await pass()).toEqual([]);
  });

  it('3 what was struck since does not come back with what is written late', async () => {
    await pass();
    const late = openSync(file(), 'a');
    writeSync(late, 'first\n');
    await pass();
    writeFileSync(file(), there().replace('first\n', ''));
    await pass();
    expect(lines).toEqual([]);
    writeSync(late, 'second\n');
    closeSync(late);
    await pass();
    expect(lines).toEqual(['second']);
  });

  it('3 a replaced file is given up after a while', async () => {
    await pass();
    ours.push('- new');
    await pass();
    expect(replacedFiles()).toHaveLength(1);
    folder = { ...folder, lateMs: -1 };
    await pass();
    expect(replacedFiles()).toEqual([]);
  });

  it('5 a page or folder that was deleted is not an edit and comes back whole', async () => {
    await pass();
    appendFileSync(file(), 'mine\n');
    await pass();
    const before = there();
    for (const gone of [file(), dirname(file()), folder.state]) {
      rmSync(gone, { recursive: true });
      expect(await pass()).toEqual([]);
      expect(there()).toBe(before);
    }
  });

  it('5 a file that a person made is theirs, and is taken away only when they have nothing in it', async () => {
    mkdirSync(dirname(file()));
    writeFileSync(file(), '# My own\n\n- Carl likes water\n');
    expect(await scanPages(folder, () => null)).toMatchObject([{ lines: ['# My own', '', '- Carl likes water'] }]);
    expect(await writePage(folder, PAGE, composeText(null, ['# My own', '', '- Carl likes water']))).toBeNull();
    expect(there()).toContain('# My own\n\n- Carl likes water\n');
    expect(await writePage(folder, PAGE, null)).toBeNull();
    expect(existsSync(file())).toBe(false);
  });

  it.each([
    ['a symbolic link', () => symlinkSync('/etc/hostname', file())],
    ['a folder', () => mkdirSync(file())],
    ['a pipe', () => execFileSync('mkfifo', [file()])],
  ])('5 %s in its place is told and left alone, and the page comes when the place is free', async (what, make) => {
    mkdirSync(dirname(file()));
    make();
    expect(await pass()).toEqual([]);
    expect(told.join('\n')).toContain(`.oka/${PAGE} is left alone: ${file()} is ${what}`);
    rmSync(file(), { recursive: true });
    await scanPages(folder, () => rendered());
    expect(there()).toBe(rendered());
  });

  it('5 a page that holds more than the ledger can stays as it is', async () => {
    await pass();
    appendFileSync(file(), `${'x'.repeat(20_001)}\n`);
    const before = there();
    ours.push('- new');
    expect(await pass()).toEqual([]);
    expect(there()).toBe(before);
    expect(told.join('\n')).toContain('more than 20000 characters');
  });

  it('bytes that are no text are kept aside as they were, and read as well as it goes', async () => {
    await pass();
    appendFileSync(file(), Buffer.from('Gr\xfc\xdfe\n', 'latin1'));
    const before = readFileSync(file());
    expect(await pass()).toMatchObject([{ lines: ['Grüße'], removed: [], changed: [] }]);
    expect(readdirSync(join(oka, 'quarantine')).map((name) => readFileSync(join(oka, 'quarantine', name)))).toEqual([
      before,
    ]);
    expect(told.join('\n')).toContain('is not UTF-8 text: a copy is in');
    expect(there()).toContain('\nGrüße\n');
  });

  it('an editor that saves in another width is understood', async () => {
    await pass();
    writeFileSync(file(), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${there()}größer\n`, 'utf16le')]));
    expect(await pass()).toMatchObject([{ lines: ['größer'], removed: [] }]);
  });
});

describe('4 a crash while a page is replaced', () => {
  const taken = (): string => join(oka, 'brain/.replaced', 'LEARNINGS-general.md.0mabcdefg-01234567');
  const fresh = (): string => join(oka, 'brain/.replaced/LEARNINGS-general.md.new');

  beforeEach(async () => {
    await pass();
    appendFileSync(file(), 'mine\n');
    mkdirSync(join(oka, 'brain/.replaced'), { recursive: true });
  });

  it('after the page was taken: it is back, and nothing is lost', async () => {
    writeFileSync(fresh(), rendered());
    renameSync(file(), taken());
    expect(await pass()).toMatchObject([{ lines: ['mine'] }]);
    expect(there()).toBe(rendered());
  });

  it('after the page was taken and an editor made another: both are read', async () => {
    writeFileSync(fresh(), rendered());
    renameSync(file(), taken());
    writeFileSync(file(), 'other\n');
    await pass();
    expect(lines).toEqual(['mine', 'other']);
    expect(there()).toBe(rendered());
    expect(await pass()).toEqual([]);
  });

  it('while the new one was written: the old one stays', async () => {
    writeFileSync(fresh(), 'half of');
    await pass();
    expect(there()).toBe(rendered());
    expect(lines).toEqual(['mine']);
  });
});
