import { describe, expect, it } from 'vitest';
import { wrapWords } from '../../../src/kit/cli/wrap-words.ts';

describe('wrapWords', () => {
  it('breaks between words and cuts nothing off', () => {
    expect(wrapWords('shell cannot take this input', 12)).toEqual(['shell cannot', 'take this', 'input']);
    expect(wrapWords('short', Number.POSITIVE_INFINITY)).toEqual(['short']);
  });

  it('breaks a word that is longer than a line, and no character of two code units', () => {
    expect(wrapWords(`a ${'😀'.repeat(3)}${'b'.repeat(7)} c`, 5)).toEqual(['a', '😀😀😀bb', 'bbbbb', 'c']);
  });
});
