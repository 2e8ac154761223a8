import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/memory/chunk.ts';
import { stretchIn } from '../../src/memory/when.ts';
import { momentWords, termsOf } from '../../src/memory/words.ts';

describe('terms', () => {
  it('forms of a word are one term, and words that say nothing are none', () => {
    expect(termsOf('She was connecting the connections that connected us')).toEqual(['connect', 'connect', 'connect']);
    expect(termsOf('What did they say about it?')).toEqual([]);
  });

  it('names of code are found whole and by their parts', () => {
    expect(termsOf('getUserName')).toEqual(['getusernam', 'get', 'user', 'name']);
  });

  it('scripts without blanks are searched by pairs of characters', () => {
    expect(termsOf('東京タワー')).toEqual(['東京', '京タ', 'タワ', 'ワー']);
  });

  it('accents and letter cases do not matter', () => {
    expect(termsOf('Café CAFE café')).toEqual(['cafe', 'cafe', 'cafe']);
  });

  it('any text gives terms that the same text gives again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const terms = termsOf(text);
        expect(termsOf(text).join(' ')).toBe(terms.join(' '));
        expect(terms.some((term) => term === '' || /\s/u.test(term))).toBe(false);
      }),
    );
  });
});

describe('moments', () => {
  it('are said in the words people ask with', () => {
    expect(momentWords('2023-05-08T13:56:00Z')).toBe('monday 8 may 2023');
    expect(momentWords('no moment')).toBe('');
  });

  const now = Date.UTC(2026, 0, 15, 12);
  const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;

  it.each([
    ['What happened on 2026-01-03?', '2026-01-03', '2026-01-04'],
    ['what did I say yesterday', '2026-01-14', '2026-01-15'],
    ['Who called in May 2023?', '2023-05-01', '2023-06-01'],
    ['Who called on 8 May 2023?', '2023-05-08', '2023-05-09'],
    ['Who called on May 8th, 2023?', '2023-05-08', '2023-05-09'],
    ['Who called on Monday?', '2026-01-12', '2026-01-13'],
    ['what failed last week?', '2026-01-01', '2026-01-15'],
  ])('%s speaks of a stretch of time', (question, from, to) => {
    expect(stretchIn(question, now)).toEqual({ from: day(from), to: day(to) });
  });

  it('a question without time speaks of none', () => {
    expect(stretchIn('Which pet may I adopt?', now)).toBeNull();
  });
});

describe('pieces', () => {
  it('hold the whole text, are short, and are cut through no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '. ', '🎉', '東'), maxLength: 600 }), (text) => {
        const pieces = piecesOf(text, 50, 1000);
        expect(pieces.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(50);
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('are cut at paragraphs rather than in sentences', () => {
    expect(piecesOf('One two three.\n\nFour five six. Seven', 24)).toEqual(['One two three.', 'Four five six. Seven']);
  });
});
