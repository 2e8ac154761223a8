import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import './seed.ts';
import { patternOf } from '../../src/roles/pattern.ts';
import { endOfMatch } from '../../src/roles/pattern-search.ts';

function found(source: string, flags: string, text: string): boolean | string {
  const pattern = patternOf(source, flags);
  if ('problem' in pattern) return pattern.problem;
  const end = endOfMatch(pattern, text);
  return end === null ? 'too long' : end !== -1;
}

describe('a pattern', () => {
  it.each<[string, string, string, boolean]>([
    [String.raw`^Total: \d+$`, 'm', 'a\nTotal: 12\nb', true],
    [String.raw`^Total: \d+$`, '', 'a\nTotal: 12\nb', false],
    ['a.c', '', 'a\nc', false],
    ['a.c', 's', 'a\nc', true],
    ['ÄB', 'i', 'xäbx', true],
    [String.raw`\bcat\b`, '', 'a cat.', true],
    [String.raw`\bcat\b`, '', 'concat', false],
    ['(?:ab|c){2,3}$', '', 'xabcab', true],
    ['^(?:ab|c){2}$', '', 'abcab', false],
    ['(?<n>a)+?b', '', 'aaab', true],
    ['[^\\]]x', '', ']x', false],
    [String.raw`\p{Lu}\u{1F600}`, '', 'É😀', true],
    ['', '', '', true],
    ['a{0}b', '', 'b', true],
    ['(a*)*b', '', 'aaac', false],
    ['|a', '', 'x', true],
  ])('/%s/%s in %j: %s', (source, flags, text, expected) => {
    expect(found(source, flags, text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['(a', '', 'Unterminated group'],
    ['a', 'x', 'the flags "x"'],
    [String.raw`(a)\1`, '', 'references back'],
    ['(?=a)b', '', 'looking ahead or behind'],
    ['(?<!a)b', '', 'looking ahead or behind'],
    ['a{600}', '', 'repeats too often'],
    ['(a{100}){100}', '', 'too large'],
  ])('/%s/%s is refused: %s', (source, flags, problem) => {
    expect(found(source, flags, 'a')).toContain(problem);
  });

  it.each([
    ['^(a+)+$', `${'a'.repeat(100_000)}!`],
    ['(a|aa)+$', `${'a'.repeat(100_000)}!`],
    ['(.*)(.*)(.*)(.*)x', 'y'.repeat(100_000)],
    [String.raw`(\d+)*z`, '1'.repeat(100_000)],
  ])('/%s/, which would backtrack without end, is searched in one pass', (source, text) => {
    expect(found(source, '', text)).toBe(false);
  });

  it('a text that is too long for a pattern is not searched', () => {
    expect(found(`(?:ab){200}`, '', 'x'.repeat(1_000_000))).toBe('too long');
  });

  it('finds what RegExp finds, for any pattern of its syntax', () => {
    const one = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      String.raw`\w`,
      String.raw`\n`,
      '^',
      '$',
      String.raw`\b`,
    );
    const { source } = fc.letrec<{ source: string }>((tie) => ({
      source: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        one,
        fc.tuple(tie('source'), tie('source')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('source'), tie('source')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,}', '*?'))
          .map(([a, sign]) => `(?:${a})${sign}`),
      ),
    }));
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '\n', ' '), { maxLength: 10 }).map((each) => each.join(''));
    fc.assert(
      fc.property(source, fc.constantFrom('', 'm', 'i', 's', 'ms'), text, (pattern, flags, given) => {
        expect(found(pattern, flags, given)).toBe(new RegExp(pattern, `u${flags}`).test(given));
      }),
      { numRuns: 1000 },
    );
  });
});
