import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateInWords, extractTerms } from '../../../src/kit/text/terms.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

describe('terms', () => {
  it('forms of a word are one term, and words that say nothing are none', () => {
    expect(extractTerms('She was connecting the connections that connected us')).toEqual([
      'connect',
      'connect',
      'connect',
    ]);
    expect(extractTerms('What did they say about it?')).toEqual([]);
  });

  it('names of code are found whole and by their parts', () => {
    expect(extractTerms('getUserName')).toEqual(['getusernam', 'get', 'user', 'name']);
  });

  it('scripts without blanks are searched by pairs of characters', () => {
    expect(extractTerms('東京タワー')).toEqual(['東京', '京タ', 'タワ', 'ワー']);
  });

  it('a word with an accent is not taken for a word without a topic', () => {
    expect(extractTerms('le thé et the tea')).toEqual(['le', 'the', 'et', 'tea']);
  });

  it('accents and letter cases do not matter', () => {
    expect(extractTerms('Café CAFE café')).toEqual(['cafe', 'cafe', 'cafe']);
  });

  it('any text gives terms that the same text gives again', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 200 }), (text) => {
        const terms = extractTerms(text);
        expect(extractTerms(text).join(' ')).toBe(terms.join(' '));
        expect(terms.some((term) => term === '' || /\s/u.test(term))).toBe(false);
      }),
    );
  });
});

describe('moments', () => {
  it('are said in the words people ask with', () => {
    expect(dateInWords('2023-05-08T13:56:00Z')).toBe('monday 8 may 2023');
    expect(dateInWords('no moment')).toBe('');
  });
});
