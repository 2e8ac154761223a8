import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintsOf, redactFingerprints } from '../../../src/core/guard/value-fingerprints.ts';

const salt = Buffer.alloc(32, 1);
const key = Buffer.alloc(32, 2);
const strong = 'zK9-wQ2_vX7.pL4+mN8';
const weak = 'hunter2-x';
const prints = fingerprintsOf(
  [
    { name: 'STRONG', value: strong },
    { name: 'WEAK', value: weak },
  ],
  salt,
  key,
);
const redact = redactFingerprints(prints, key);

describe('values that are only known by their fingerprints', () => {
  it('are removed from a text', () => {
    expect(redact(`a ${strong} b ${weak}, ${weak}`)).toBe('a [redacted:STRONG] b [redacted:WEAK], [redacted:WEAK]');
    expect(redact(strong)).toBe('[redacted:STRONG]');
  });

  it.each([
    ['base64', Buffer.from(strong).toString('base64')],
    ['base64 in the middle of something', Buffer.from(`xy${strong}z`).toString('base64')],
    ['hex', Buffer.from(strong).toString('hex')],
    ['a URL', encodeURIComponent(strong)],
    ['capital letters', strong.toUpperCase()],
    ['broken lines', strong.slice(0, 5) + '\n' + strong.slice(5)],
  ])('are removed in other forms: %s', (_, text) => {
    expect(redact(`<${text}>`)).toContain('[redacted:STRONG]');
  });

  it('P2 those that could be guessed are found with the key alone', () => {
    expect(prints.open.every(({ name }) => name === 'STRONG')).toBe(true);
    expect(redactFingerprints(prints, null)(`${strong} ${weak}`)).toBe(`[redacted:STRONG] ${weak}`);
    expect(redactFingerprints(prints, Buffer.alloc(32, 3))(weak)).toBe(weak);
  });

  it('P3 JSON stays JSON', () => {
    const value = { a: [`x ${strong}`, 1], [weak]: 'as it was', b: ['zK9-wQ2_vX7', '.pL4+mN8'] };
    expect(JSON.parse(redact(JSON.stringify(value)))).toEqual({
      a: ['x [redacted:STRONG]', 1],
      '[redacted:WEAK]': 'as it was',
      b: ['zK9-wQ2_vX7', '.pL4+mN8'],
    });
  });

  it('leave every other text as it is', () => {
    fc.assert(fc.property(fc.string({ maxLength: 500 }), (text) => redact(text) === text));
  });

  it('say nothing about the values', () => {
    expect(JSON.stringify(prints)).not.toMatch(/zK9|hunter/i);
  });
});
