import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTask } from '../../../src/kit/inbox/parse-task.ts';
import { addWebTask, type WebTask } from '../../../src/app/web/tasks/add-web-task.ts';
import { previewSchedule } from '../../../src/app/web/tasks/preview-schedule.ts';

const NOW = Date.parse('2026-11-18T10:00:00.000Z'); // a Wednesday
let workspace = '';
beforeEach(() => void (workspace = mkdtempSync(join(tmpdir(), 'oka-web-task-'))));
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const add = (task: WebTask): ReturnType<typeof addWebTask> => addWebTask({ workspace }, task, NOW);
const file = (path: string, text = 'x'): { path: string; bytes: Uint8Array } => ({ path, bytes: Buffer.from(text) });

/** Every file in the inbox by its path, without the random names of what was delivered. */
function delivered(): Record<string, string> {
  const inbox = join(workspace, 'inbox');
  try {
    const paths = readdirSync(inbox, { recursive: true, encoding: 'utf8' });
    const files = paths.filter((path) => statSync(join(inbox, path)).isFile());
    return Object.fromEntries(
      files.map((path) => [path.split('/').slice(2).join('/'), readFileSync(join(inbox, path), 'utf8')]),
    );
  } catch {
    return {};
  }
}

describe('what is written or dropped on the page becomes a task in the inbox', () => {
  it('a sentence is a task file, titled by its first line', () => {
    expect(add({ text: 'Write hello into hello.txt' })).toEqual([
      { name: 'write-hello-into-hello-txt.md', title: 'Write hello into hello.txt', next: [] },
    ]);
    expect(Object.keys(delivered())).toEqual(['write-hello-into-hello-txt.md']);
  });

  it('a sentence has a folder of its own on the desk; a runbook, a schedule and front matter of a person say it themselves', () => {
    const placeOf = (task: WebTask): unknown => {
      rmSync(join(workspace, 'inbox'), { recursive: true, force: true });
      add(task);
      return readTask(Buffer.from(Object.values(delivered())[0] ?? ''), 'task.md').task.place;
    };
    expect(placeOf({ text: 'Write hello into hello.txt' })).toBe('own');
    expect(placeOf({ text: '# Hello\n\n```bash\necho hello > hello.txt\n```\n' })).toBeUndefined();
    expect(placeOf({ text: 'Note the prices', every: 'monday 08:00' })).toBeUndefined();
    expect(placeOf({ text: '---\ndir: photos\n---\nRename them\n' })).toBeUndefined();
  });

  it('files with a sentence are a folder whose TASK.md is the sentence', () => {
    const [added] = add({ text: 'Sum the columns', files: [file('a.csv', '1'), file('data/b.csv', '2')] });
    expect(added).toEqual({ name: 'sum-the-columns', title: 'Sum the columns', next: [] });
    const found = delivered();
    expect(Object.keys(found).toSorted()).toEqual([
      'sum-the-columns/TASK.md',
      'sum-the-columns/a.csv',
      'sum-the-columns/data/b.csv',
    ]);
    expect(readTask(Buffer.from(found['sum-the-columns/TASK.md'] ?? ''), 'TASK.md').body.trim()).toBe(
      'Sum the columns',
    );
  });

  it('one table without a word is charted and summed up, as the welcome task does it', () => {
    expect(add({ files: [file('Sales 2026.csv', 'a,b\n1,2\n')] })).toMatchObject([
      { title: 'Chart and summary of Sales 2026.csv' },
    ]);
    const found = delivered();
    const [task = ''] = Object.keys(found).filter((path) => path.endsWith('/TASK.md'));
    const { task: fields, body } = readTask(Buffer.from(found[task] ?? ''), 'TASK.md');
    expect([fields.title, fields.tags, body.match(/^## /gm)?.length]).toEqual([
      'Chart and summary of Sales 2026.csv',
      [],
      3,
    ]);
    expect(body).not.toContain('Welcome');
    expect(() => add({ files: [file('a.csv'), file('b.csv')] })).toThrow('say what is to be done with these files');
  });

  it('a dropped folder with a TASK.md is that folder, without what the system left in it', () => {
    add({ files: [file('trip/TASK.md', '# Plan the trip\n'), file('trip/map.txt'), file('trip/.DS_Store')] });
    expect(Object.keys(delivered()).toSorted()).toEqual(['trip/TASK.md', 'trip/map.txt']);
  });

  it('task files without a sentence are a task each, unchanged', () => {
    const added = add({ files: [file('one.md', '# One\n'), file('two.txt', 'Two things\n')] });
    expect(added.map(({ title }) => title)).toEqual(['One', 'two']);
    expect(delivered()).toEqual({ 'one.md': '# One\n', 'two.txt': 'Two things\n' });
  });

  it('with a time beside it the task says when, also where it has front matter already', () => {
    const [sentence] = add({ text: 'Say hello', every: 'every Monday 08:00', timezone: 'UTC' });
    expect(sentence?.next).toEqual([
      'Mon 2026-11-23 08:00 +00:00',
      'Mon 2026-11-30 08:00 +00:00',
      'Mon 2026-12-07 08:00 +00:00',
    ]);
    add({ text: '---\ntags: [x]\n---\nSay hello again', every: 'daily at 7', timezone: 'UTC' });
    const tasks = Object.values(delivered()).map((text) => readTask(Buffer.from(text), 'task.md').task);
    expect(tasks.map(({ every = '' }) => every).toSorted()).toEqual(['daily at 7', 'every Monday 08:00']);
    expect(tasks.some(({ tags }) => tags?.includes('x'))).toBe(true);
  });
});

describe('nothing is written for what cannot be a task', () => {
  it.each<[string, WebTask, RegExp]>([
    ['no words', { text: '  ' }, /say what is to be done/],
    ['files alone', { files: [file('a.csv'), file('b.csv')] }, /what is to be done with these files/],
    ['two descriptions', { text: 'Do it', files: [file('TASK.md')] }, /says what to do already/],
    ['a time that is none', { text: 'Do it', every: 'now and then' }, /not understood here/],
    ['one bad file of two', { files: [file('a.md', '# A'), file('b.md', '')] }, /empty/],
    ['text that is no text', { files: [{ path: 'a.md', bytes: Uint8Array.of(0xff, 0xfe) }] }, /UTF-8/],
    ['a long text', { text: 'x'.repeat(1024 * 1024 + 1) }, /too long/],
    ['too many files', { text: 'x', files: Array.from({ length: 1001 }, (_, at) => file(`${at}`)) }, /too many/],
    ['too large files', { text: 'x', files: [{ path: 'a', bytes: new Uint8Array(65 * 1024 * 1024) }] }, /larger/],
  ])('%s', (_, task, message) => {
    expect(() => add(task)).toThrow(message);
    expect(delivered()).toEqual({});
  });

  it.each([
    '../up',
    'a/../../up',
    '/etc/passwd',
    'a//b',
    './a',
    'a/.',
    '..',
    '',
    'a\0b',
    'a\nb',
    'a\\..\\b',
    '\u202Egpj.exe',
    'a\uD800',
    '.hidden',
    '.git/hooks/post-checkout',
    'x'.repeat(256),
    'a/'.repeat(25),
    'movie.part',
  ])('a file called %j', (path) => {
    expect(() => add({ text: 'Do it', files: [file(path)] })).toThrow(/not accepted/);
    expect(delivered()).toEqual({});
  });

  it.each([[['a', 'A']], [['a', 'a/b']], [['é', 'e\u0301']]])('files that would be one another: %j', (paths) => {
    expect(() => add({ text: 'Do it', files: paths.map((path) => file(path)) })).toThrow(/same name/);
  });
});

describe('a schedule is shown before it is saved', () => {
  it.each(['every Monday 08:00', 'daily at 7', 'every 2 hours', '0 8 * * 1'])('%s has three next times', (every) => {
    expect(previewSchedule({ every, timezone: 'Europe/Berlin' }, NOW).next).toHaveLength(3);
  });

  it('a time that is not understood is answered with examples', () => {
    expect(() => previewSchedule({ every: 'when I feel like it' }, NOW)).toThrow(
      expect.objectContaining({ code: 'usage', fix: expect.stringContaining('every Monday 08:00') as string }) as Error,
    );
  });
});
