import { describe, expect, it } from 'vitest';
import { redactCut } from '../../../src/core/guard/redact-truncated.ts';
import { redactorFor } from '../../../src/core/guard/redact.ts';

const value = 'zK9-wQ2_vX7.pL4+mN8-hT5';
const known = [{ name: 'K', value }];
const redact = redactorFor(() => known, redactCut);
const filling = 'some words of no meaning, '.repeat(20);
const gap = '\n[… 123456 bytes left out …]\n';

describe('a text that was cut', () => {
  it('leaves nothing of a value at its end that would reveal it', () => {
    for (let length = 8; length <= value.length; length += 1)
      expect(redact(`${filling}${value.slice(0, length)}`)).toBe(`${filling}[redacted:K]`);
    expect(redact(`${filling}${Buffer.from(value).toString('hex').slice(0, 30)}`)).toBe(`${filling}[redacted:K]`);
    expect(redact(`${filling}${Buffer.from(value).toString('base64').slice(0, 20)}`)).toBe(`${filling}[redacted:K]`);
  });

  it('nor on either side of what was left out of its middle', () => {
    for (let length = 8; length <= value.length - 8; length += 1)
      expect(redact(`${filling}${value.slice(0, length)}${gap}${value.slice(length)}${filling}`)).toBe(
        `${filling}[redacted:K]${gap}[redacted:K]${filling}`,
      );
  });

  it('is known by its bytes as well, as artifacts are', () => {
    const bytes = Buffer.from(`${filling}${value.slice(0, 12)}${gap}${value.slice(12)}`).toString('latin1');
    expect(Buffer.from(redact(bytes), 'latin1').toString()).toBe(`${filling}[redacted:K]${gap}[redacted:K]`);
  });

  it('is left as it is when it ends in something else, or with too little of a value', () => {
    for (const end of ['zK9', 'z', '', 'wQ2_vX7.pL4', 'the end.'])
      expect(redact(`${filling}${end}`)).toBe(`${filling}${end}`);
    expect(redact(`${filling}${gap}${filling}`)).toBe(`${filling}${gap}${filling}`);
  });
});
