/** docs/SEEDS.md names a test for every requirement: each of them is there, and is not skipped. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const ROW = /^\| (?<requirement>[^|]+) \| `(?<file>test\/[^`]+)`(?:: `(?<title>[^`]+)`)? \|$/;

/** The line on which a test begins, or on which the list of its cases ends. */
const TITLE = /^\s*(?:it|test)\b.*(?:\n.*)?|^\s*(?:\]|\)|\}).*\)\(\s*(?:\n.*)?['"`].*$/gm;

const rows = readFileSync(join(root, 'docs/SEEDS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| requirement '))
  .map((line): { line: string; file?: string; title?: string } => ({ line, ...ROW.exec(line)?.groups }));

/** What is wrong with a row; null when nothing is. */
function problemWith({ line, file, title }: (typeof rows)[number]): string | null {
  if (file === undefined) return `no test is named: ${line}`;
  if (!/\.(?:test|trial)\.ts$/.test(file) || !existsSync(join(root, file))) return `there is no ${file}`;
  const titles = readFileSync(join(root, file), 'utf8').match(TITLE) ?? [];
  const named = titles.filter((each) => title === undefined || each.includes(title));
  if (named.length === 0) return `${file} has no test "${title}"`;
  return named.every((each) => /^\s*(?:it|test)\.skip\(/.test(each)) ? `"${title}" of ${file} is skipped` : null;
}

describe('docs/SEEDS.md', () => {
  it('names tests that are there, for the requirements of all five documents', () => {
    expect(rows.map(problemWith).filter((problem) => problem !== null)).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(288);
    expect(problemWith({ line: 'x', file: 'test/seeds.test.ts', title: 'a test that nobody wrote' })).not.toBeNull();
  });
});
