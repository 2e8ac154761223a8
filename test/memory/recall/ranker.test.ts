import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToCorpus, type Corpus, emptyCorpus } from '../../../src/memory/index/corpus.ts';
import { scoreEntries, topRanked, WEIGHTS } from '../../../src/memory/recall/ranker.ts';
import { extractTerms } from '../../../src/memory/text/terms.ts';

/** Pieces in threads of their own, so that none lends its score to another. */
function corpusOf(...pieces: readonly (readonly [who: string, text: string])[]): Corpus {
  const corpus = emptyCorpus();
  pieces.forEach(([who, text], index) => {
    const about = {
      kind: 'said',
      who,
      at: '2026-01-10T10:00:00Z',
      thread: `t${index}`,
      run: null,
      namespace: 'n',
    } as const;
    addToCorpus(corpus, {
      ...about,
      n: index + 1,
      terms: extractTerms(`${who} ${text}`).join(' '),
      sum: `s${index}`,
      gone: 0,
    });
  });
  return corpus;
}

const alone = { ...WEIGHTS, neighbours: 0, thread: 0 };
const scoresOf = (corpus: Corpus, text: string, meaning: Float32Array | null = null): number[] =>
  Array.from(scoreEntries(corpus, { text, now: 0, meaning }, alone));

describe('the ranking', () => {
  it('1 weighs the name of who is asked about the same in every piece that has it', () => {
    const long = 'we painted the old fence along the garden all day long';
    const [short, longer, other] = scoresOf(
      corpusOf(['Ann', 'Ann Ann'], ['Ann', long], ['Bob', long]),
      'what frightens Ann',
    );
    expect(short).toBe(longer);
    expect(other).toBe(0);
  });

  it('1 lets meaning decide between pieces that share only a name with the question', () => {
    const corpus = corpusOf(
      ['Ann', 'hi'],
      ['Ann', 'thunder makes my heart race'],
      ['Bob', 'thunder makes my heart race'],
    );
    const [hi = 0, meant = 0, other = 0] = scoresOf(corpus, 'what frightens Ann', Float32Array.of(0.1, 0.3, 0.3));
    expect([meant > hi, meant > other]).toEqual([true, true]);
  });

  it('1 gives a piece whose closeness is not asked for nothing by meaning', () => {
    const corpus = corpusOf(['Ann', 'one'], ['Bob', 'two'], ['Cid', 'three']);
    expect(scoresOf(corpus, 'four', Float32Array.of(Number.NaN, 0.2, 0.4))).toEqual([0, 0, WEIGHTS.meaning]);
  });

  it('3 gives the best of the allowed places in order, and of equal scores the earlier ones', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.nat(20), fc.nat(3), (values, most, odd) => {
        const sorted = values
          .map((score, at) => ({ at, score }))
          .filter(({ at, score }) => score > 0 && at % 3 !== odd)
          .toSorted((a, b) => b.score - a.score || a.at - b.at);
        const best = topRanked(Float64Array.from(values), most, (at) => at % 3 !== odd);
        expect(best).toEqual(sorted.slice(0, most));
      }),
    );
  });
});
