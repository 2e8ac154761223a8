import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FoldStore } from '../../../src/core/ledger/fold-store.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { wordsIn } from '../../../src/core/schema/text-words.ts';
import { freshFolder } from '../../support/ledger-samples.ts';

const SHAPE = { version: 'a@1', hasTexts: true };
const found = ({ texts }: Rows, text: string): string[] => [...(texts?.find(wordsIn(text)) ?? [])];

const anyChange = fc.tuple(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.option(fc.array(fc.constantFrom('red', 'reddish', 'Grün', 'blue 7', '"x" OR'), { minLength: 1, maxLength: 3 })),
);
const searches = ['red', 'redd', 'grun', 'blue red', '7', 'x or', 'nothing', 'b'];

describe('texts in a fold store', () => {
  it('are found by words that begin so, the latest first, also where the file cannot be written', () => {
    const property = fc.property(fc.array(anyChange), fc.array(anyChange), (stored, newer) => {
      const file = join(freshFolder(), 'folds.sqlite');
      const model = memoryRows();
      const writer = FoldStore.open(file, SHAPE);
      writer.transaction(() => putAll([model, writer], stored));
      expect(searches.map((text) => found(writer, text))).toEqual(searches.map((text) => found(model, text)));
      writer.close();
      const reader = FoldStore.openReadOnly(file, SHAPE);
      reader.transaction(() => putAll([model, reader], newer));
      expect(searches.map((text) => found(reader, text))).toEqual(searches.map((text) => found(model, text)));
      reader.close();
    });
    fc.assert(property, { numRuns: 60 });
  });

  it('are rolled back with the rows', () => {
    const store = FoldStore.open(':memory:', SHAPE);
    const fail = (): void =>
      store.transaction(() => {
        store.texts?.put('a', 'red');
        throw new Error('stop');
      });
    expect(fail).toThrow('stop');
    expect(found(store, 'red')).toEqual([]);
    store.close();
  });
});

function putAll(all: readonly Rows[], changes: readonly (readonly [string, string[] | null])[]): void {
  for (const [key, words] of changes) for (const { texts } of all) texts?.put(key, words?.join(' ') ?? null);
}
