import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import { matchesGlob } from '../../../src/kit/text/glob.ts';
import { formatOutput, wrapAsData, byteLength, truncateText, slugify } from '../../../src/kit/text/prompt-text.ts';
import { toOneLine, escapeInvisible } from '../../../src/core/schema/one-line.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

describe('text', () => {
  it('T1 is cut to bytes, not through a character, and says so', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 400 }), fc.integer({ min: 0, max: 300 }), (text, most) => {
        const shown = truncateText(text, most);
        expect(byteLength(shown)).toBeLessThanOrEqual(
          Math.max(most, byteLength(text) <= most ? byteLength(text) : most),
        );
        expect(shown.includes('\uFFFD')).toBe(text.includes('\uFFFD') && shown.includes('\uFFFD'));
        if (byteLength(text) > most && most > 100) expect(shown).toContain(`${byteLength(text)} bytes in all`);
      }),
    );
  });

  it('T2 is enclosed in marks that it does not contain', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (label, text) => {
        const [, mark, inside = ''] =
          /^<data ([0-9a-f]{8}) [^\n]*>\n([\s\S]*)\n<\/data \1>$/.exec(wrapAsData(label, text, 1000)) ?? [];
        expect(mark).toBeDefined();
        expect(inside).toBe(truncateText(escapeInvisible(text), 1000));
      }),
    );
  });

  it('shows what hides and keeps lines and tabs', () => {
    expect(escapeInvisible('a\u202eb\u0000\n\t\u{e0041}\u200d')).toBe('a\\u{202e}b\\u{0}\n\t\\u{e0041}\\u{200d}');
    expect(toOneLine(' a\n\n b\u0007 ', 80)).toBe('a b\\u{7}');
    expect(toOneLine('😀'.repeat(10), 5)).toBe('😀😀😀😀…');
  });

  it('gives names', () => {
    expect(slugify('Résumé: ½ of "it"', 60)).toBe('resume-1-2-of-it');
    expect(slugify('日本', 60)).toBe('');
    expect(slugify('a b c d', 4)).toBe('a-b');
  });
});

describe('globs', () => {
  it.each<[string, string, boolean]>([
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', true],
    ['src', 'src/a', true],
    ['src/', 'src/a', true],
    ['./src', 'src/a', true],
    ['src', 'srcs', false],
    ['*.md', 'a.md', true],
    ['*.md', 'x/a.md', false],
    ['**/*.md', 'a.md', true],
    ['**/*.md', 'x/y/a.md', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['{a,b}/*.{js,ts}', 'b/x.ts', true],
    ['{a,b}/*.{js,ts}', 'c/x.ts', false],
    ['**', 'any/thing', true],
    ['[a]', 'a', false],
    ['a.c', 'abc', false],
    ['*', '.env', true],
    ['src/**', 'src/.hidden/a', true],
    ['**/*.ts', 'a/.b/c.ts', true],
    ['a[1].txt', 'a[1].txt', true],
    ['@(a|b)', 'a', false],
    ['src/**', '../src/a', false],
  ])('%s and %s: %s', (glob, path, is) => {
    expect(matchesGlob(glob, path)).toBe(is);
  });

  it('that would take for ever elsewhere are quick', () => {
    expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false);
    expect(matchesGlob(`${'**/'.repeat(100)}b`, 'a/'.repeat(300))).toBe(false);
    expect(matchesGlob('{a,b}'.repeat(30), 'x')).toBe(false);
  });
});

describe('the output of a tool as text', () => {
  it('has what a server gives as text and as data once', () => {
    const data = { price: 3, list: ['a'] };
    expect(formatOutput({ from: 'shop', text: '{"list": ["a"], "price": 3}', data })).toBe(
      `from: shop\ndata: ${JSON.stringify(data)}`,
    );
    expect(formatOutput({ text: '{"price": 4}', data })).toContain('text: {"price": 4}');
    expect(formatOutput({ text: '{"price', data })).toContain('text: {"price');
  });
});
