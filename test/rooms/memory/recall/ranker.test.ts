import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToCorpus, type Corpus, emptyCorpus } from '../../../../src/kit/learning/corpus.ts';
import { bestEntries, topRanked } from '../../../../src/rooms/memory/recall/best-entries.ts';
import { openScoring, scoreEntries, WEIGHTS } from '../../../../src/rooms/memory/recall/ranker.ts';
import { extractTerms } from '../../../../src/kit/text/terms.ts';
import { timesOf } from '../../../support/thorough.ts';

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

  it('2 scores only what can be among the best, and finds the same entries as if everything were scored', () => {
    const words = ['rain', 'garden', 'thunder', 'ann', 'yesterday'];
    const entry = fc.record({
      text: fc.array(fc.constantFrom(...words), { maxLength: 3 }),
      who: fc.constantFrom('Ann', 'Bob'),
      thread: fc.oneof(fc.constantFrom('a', 'b'), fc.nat(99).map(String)),
      kind: fc.constantFrom('said' as const, 'did' as const),
      close: fc.constantFrom(-0.2, 0.1, 0.5, Number.NaN),
      day: fc.constantFrom('1970-01-01T00:00:00Z', '1970-01-03T00:00:00Z'),
      mark: fc.constantFrom(0, 1, 1, 2),
    });
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 200, size: 'max' }),
        fc.nat(12),
        fc.boolean(),
        (entries, most, hasMeaning) => {
          const corpus = emptyCorpus();
          entries.forEach(({ text, who, thread, kind, day }, index) =>
            addToCorpus(corpus, {
              n: index + 1,
              kind,
              who,
              thread,
              run: null,
              namespace: 'n',
              sum: '',
              gone: 0,
              at: day,
              terms: extractTerms(text.join(' ')).join(' '),
            }),
          );
          const meaning = hasMeaning ? Float32Array.from(entries, ({ close }) => close) : null;
          const question = { text: 'what did Ann say about rain and thunder today', now: 0, meaning };
          const marks = Uint8Array.from(entries, ({ mark }) => mark);
          const all = topRanked(scoreEntries(corpus, question), most, (at) => marks[at] === 1);
          expect(bestEntries(corpus, openScoring(corpus, question), most, { marks, mark: 1 }, 1)).toEqual(all);
        },
      ),
      { numRuns: timesOf(1000, 150) },
    );
  });
});
