import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineSimilarity, mergeLines } from '../../../src/kit/desk/merge-lines.ts';
import { timesOf } from '../../support/thorough.ts';

const merge = (base: string, ours: string, theirs: string): string | undefined =>
  mergeLines(Buffer.from(base), Buffer.from(ours), Buffer.from(theirs))?.toString();

describe('merged', () => {
  it('brings changes of different lines together', () => {
    expect(merge('a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\nE\n')).toBe('A\nb\nc\nD\nE\n');
  });

  it('takes a change that both made once', () => {
    expect(merge('a\nb\nc\n', 'a\nX\nc\n', 'a\nX\nc\n')).toBe('a\nX\nc\n');
  });

  it('gives nothing when both changed the same line, or lines that touch', () => {
    expect(merge('a\nb\nc\n', 'a\nX\nc\n', 'a\nY\nc\n')).toBeUndefined();
    expect(merge('a\nb\nc\n', 'a\nX\nc\n', 'a\nb\nY\n')).toBeUndefined();
    expect(merge('a\n', 'a\nmine\n', 'a\nyours\n')).toBeUndefined();
  });

  it('keeps an end without a line break, and bytes that are no UTF-8', () => {
    expect(merge('a\nb\nc', 'A\nb\nc', 'a\nb\nc')).toBe('A\nb\nc');
    const [base, ours] = [Buffer.from('a\nb\n\xff\n', 'latin1'), Buffer.from('A\nb\n\xff\n', 'latin1')];
    expect(mergeLines(base, ours, base)).toEqual(ours);
  });

  it('gives nothing for what is not text, or has nothing in common', () => {
    expect(merge('a\0', 'b\0', 'a\0')).toBeUndefined();
    const many = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word}${i}\n`).join('');
    expect(merge(many('a'), many('b'), many('a'))).toBeUndefined();
  });

  it('stands a file of a million lines', () => {
    const base = 'x\n'.repeat(1_000_000);
    expect(merge(base, `first\n${base}`, `${base}last\n`)).toBe(`first\n${base}last\n`);
  });

  const texts = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', 'e\n', 'f\n'), { maxLength: 12 });

  it('one side unchanged gives the other, whatever they are', () => {
    fc.assert(
      fc.property(texts, texts, (base, other) => {
        const [a, b] = [base.join(''), other.join('')];
        expect(merge(a, a, b)).toBe(b);
        expect(merge(a, b, a)).toBe(b);
        expect(merge(a, b, b)).toBe(b);
      }),
      { seed: 7, numRuns: timesOf(2000, 150) },
    );
  });

  it('agrees with git about lines that are unlike each other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oka-merge-'));
    const lines = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 4, maxLength: 14 });
    const edit = fc.array(fc.tuple(fc.nat(13), fc.constantFrom('drop', 'put', 'change'), fc.nat()), { maxLength: 3 });
    try {
      fc.assert(
        fc.property(lines, edit, edit, (numbers, mine, yours) => {
          const base = numbers.map((number) => `line ${number}`);
          const [a, b] = [edited(base, mine, 'mine'), edited(base, yours, 'yours')];
          expect(merge(textOf(base), textOf(a), textOf(b)) ?? null).toBe(gitMerge(folder, base, a, b));
        }),
        { seed: 11, numRuns: timesOf(100, 25) },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('likeness is the share of lines in common', () => {
  expect(lineSimilarity(Buffer.from('a\nb\nc\nd\n'), Buffer.from('b\na\nx\ny\n'))).toBe(0.5);
  expect(lineSimilarity(Buffer.from(''), Buffer.from(''))).toBe(0);
});

const textOf = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

function edited(base: string[], edits: [number, string, number][], who: string): string[] {
  const lines = [...base];
  for (const [at, what, number] of edits) {
    const place = at % Math.max(1, lines.length);
    if (what === 'drop') lines.splice(place, 1);
    else lines.splice(place, what === 'put' ? 0 : 1, `${who} ${number}`);
  }
  return lines;
}

/** Null when git sees a conflict. */
function gitMerge(folder: string, base: string[], ours: string[], theirs: string[]): string | null {
  const files = [ours, base, theirs].map((lines, i) => {
    writeFileSync(join(folder, String(i)), textOf(lines));
    return join(folder, String(i));
  });
  const { status, stdout } = spawnSync('git', ['merge-file', '-p', ...files], { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}
