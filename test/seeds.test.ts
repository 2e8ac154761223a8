/** docs/SEEDS.md names a test for every requirement: each of them is there, and is not skipped. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rowsNotRun, type SeedRow, seedRows } from './support/seeds.ts';

const root = join(import.meta.dirname, '..');
/** The line on which a test begins, or on which the list of its cases ends. */
const TITLE = /^\s*(?:it|test)\b.*(?:\n.*)?|^\s*(?:\]|\)|\}).*\)\(\s*(?:\n.*)?['"`].*$/gm;

/** What is wrong with a row; null when nothing is. */
function problemWith({ line, file, title }: SeedRow): string | null {
  if (file === undefined) return `no test is named: ${line}`;
  if (!/\.(?:test|trial)\.ts$/.test(file) || !existsSync(join(root, file))) return `there is no ${file}`;
  const titles = readFileSync(join(root, file), 'utf8').match(TITLE) ?? [];
  const named = titles.filter((each) => title === undefined || each.includes(title));
  if (named.length === 0) return `${file} has no test "${title}"`;
  return named.every((each) => /^\s*(?:it|test)\.skip\(/.test(each)) ? `"${title}" of ${file} is skipped` : null;
}

describe('docs/SEEDS.md', () => {
  it('names tests that are there, for the requirements of all five documents', () => {
    expect(seedRows.map(problemWith).filter((problem) => problem !== null)).toEqual([]);
    expect(seedRows.length).toBeGreaterThanOrEqual(288);
    expect(problemWith({ line: 'x', file: 'test/seeds.test.ts', title: 'a test that nobody wrote' })).not.toBeNull();
  });

  it('a row whose test has not run is named, whatever its file says', () => {
    const row = (title: string): SeedRow => ({ line: title, file: 'test/a.test.ts', title });
    const rows = [row('runs ${what} twice'), row('is skipped'), row('is gone'), { line: 'b', file: 'test/b.test.ts' }];
    const ran = new Map([
      [
        'test/a.test.ts',
        [
          { title: 'it runs this twice', hasRun: true },
          { title: 'is skipped', hasRun: false },
        ],
      ],
    ]);
    expect(rowsNotRun(rows, ran)).toEqual({ missing: [rows[2]], skipped: [rows[1]] });
  });
});
