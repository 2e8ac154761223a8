import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIntoChunks } from '../../../src/kit/text/chunk.ts';

describe('pieces', () => {
  it('hold the whole text, are short, and are cut through no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', '. ', '🎉', '東'), maxLength: 600 }), (text) => {
        const pieces = splitIntoChunks(text, 50, 1000);
        expect(pieces.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(50);
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('are cut at paragraphs rather than in sentences', () => {
    expect(splitIntoChunks('One two three.\n\nFour five six. Seven', 24)).toEqual([
      'One two three.',
      'Four five six. Seven',
    ]);
  });
});
