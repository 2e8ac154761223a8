import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { countPieces } from '../../../src/kit/text/count-pieces.ts';
import { createTokenCounter } from '../../../src/kit/text/tokens.ts';
import { scaled, timesOf } from '../../support/thorough.ts';

const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const BYTE_ORDER_MARK = '\uFEFF';

describe('counting tokens', () => {
  it('gives the numbers of the package whose vocabulary it is, for any text', () => {
    const script = fc
      .constantFrom('grapheme', 'binary', 'grapheme-ascii')
      .chain((unit) => fc.string({ unit, maxLength: 200 }));
    const halves = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }).map((code) => String.fromCharCode(code)));
    const words = fc.array(
      fc.constantFrom(' the', "I'LL", '  \n', '1234567', 'ﬁn', 'Größe', '日本語', '<|endoftext|>', '👩‍👩‍👧', 'aaaa'),
    );
    const texts = fc.oneof(
      script,
      halves.map((all) => all.join('')),
      words.map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!text.includes(BYTE_ORDER_MARK));
        expect(countPieces(text)).toBe(countTokens(text, plain));
      }),
      { numRuns: timesOf(scaled(2000), 300) },
    );
  });

  it.each(['README.md', 'CHANGELOG.md', 'package-lock.json'])('also for %s', (name) => {
    const text = readFileSync(name, 'utf8');
    for (let from = 0; from < text.length; from += 20_011) {
      const part = text.slice(from, from + 1500);
      expect(countPieces(part)).toBe(countTokens(part, plain));
    }
  });

  it('knows the byte order mark, which the package cannot look up', () => {
    expect([countPieces(BYTE_ORDER_MARK), countTokens(BYTE_ORDER_MARK, plain)]).toEqual([1, 2]);
  });

  it('line by line gives the numbers of the whole text, and of lines that were counted before', async () => {
    const counter = await createTokenCounter('openai');
    const parts = fc.constantFrom(
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      '  ',
      '/',
      '//',
      'the',
      ' word.',
      '.',
      '-',
      '…',
      '日本',
      '12',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), (all) => {
        expect(counter.count(all.join(''))).toBe(countPieces(all.join('')));
      }),
      { numRuns: timesOf(scaled(2000), 300) },
    );
  });
});
