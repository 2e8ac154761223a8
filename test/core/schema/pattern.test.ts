import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import { compilePattern, searchPattern } from '../../../src/core/schema/pattern.ts';

function search(source: string, flags: string, text: string): boolean | string {
  const pattern = compilePattern(source, flags);
  if ('problem' in pattern) return pattern.problem;
  const match = searchPattern(pattern, text);
  return match.kind === 'too long' ? match.kind : match.kind === 'found';
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
    ['^Total$', 'm', 'a\r\nTotal\r\nb', true],
    ['^Total$', 'm', 'a\rTotal\rb', true],
    ['a.b', '', 'a\r\nb', false],
    [String.raw`a\r\n`, '', 'a\r\nb', true],
    [String.raw`12\s€`, '', '12\u00A0€', true],
    [String.raw`12[\s,]€`, '', '12\u202F€', true],
    [String.raw`12\S€`, '', '12\u00A0€', false],
    [String.raw`^[\s\S]{2}$`, '', '\na', true],
    [String.raw`\u0041\x42\cJ\/`, '', 'AB\n/', true],
    [String.raw`f\(?=1`, '', 'f=1', true],
    [String.raw`\\1`, '', String.raw`a\1`, true],
    ['[]', '', 'a', false],
    ['a[^]b', '', 'a\nb', true],
    ['', 'gu', 'a', true],
  ])('/%s/%s in %j: %s', (source, flags, text, expected) => {
    expect(search(source, flags, text)).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['(a', '', 'Unterminated group'],
    ['a', 'x', 'the flags "x"'],
    [String.raw`(a)\1`, '', 'back references'],
    [String.raw`(?<n>a)\k<n>`, '', 'back references'],
    ['(?=a)b', '', 'lookahead and lookbehind'],
    ['(?!a)b', '', 'lookahead and lookbehind'],
    ['(?<=a)b', '', 'lookahead and lookbehind'],
    ['(?<!a)b', '', 'lookahead and lookbehind'],
    [String.raw`\A`, '', 'Invalid escape'],
    [String.raw`[[:alpha:]]`, '', 'Lone quantifier brackets'],
    [String.raw`\p{Script=Greek}`, '', 'invalid character class range'],
    ['a{1001}', '', 'invalid repeat count'],
    ['(a{100}){100}', '', 'invalid repeat count'],
    ['a{900}b{900}c{900}', '', 'too large'],
    ['a'.repeat(1001), '', 'too large'],
  ])('/%s/%s is refused: %s', (source, flags, problem) => {
    expect(search(source, flags, 'a')).toContain(problem);
  });

  it.each([
    ['^(a+)+$', `${'a'.repeat(100_000)}!`],
    ['(a|aa)+$', `${'a'.repeat(100_000)}!`],
    ['(.*)(.*)(.*)(.*)x', 'y'.repeat(100_000)],
    [String.raw`(\d+)*z`, '1'.repeat(100_000)],
  ])('/%s/, which would backtrack without end, is searched in one pass', (source, text) => {
    expect(search(source, '', text)).toBe(false);
  });

  it.each([
    ['(?:ab){200}', 'x'.repeat(1_000_000)],
    [String.raw`(\p{L}|\p{N}|\w){1,200}(x|y|z){1,200}Q`, 'aäxyz'.repeat(200_000)],
  ])('/%s/ is not searched for in a text that is too long for it', (source, text) => {
    expect(search(source, '', text)).toBe('too long');
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
      String.raw`\s`,
      String.raw`[^\sa]`,
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
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '\n', ' ', '\u00A0', 'é'), { maxLength: 10 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(source, fc.constantFrom('', 'm', 'i', 's', 'ms'), text, (pattern, flags, given) => {
        expect(search(pattern, flags, given)).toBe(new RegExp(pattern, `u${flags}`).test(given));
      }),
      { numRuns: 1000 },
    );
  });
});
