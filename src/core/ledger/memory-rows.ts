/** Rows that live in memory, for whoever folds a few events and stores nothing. */
import type { Range, Rows, Texts } from '../schema/rows.ts';
import { hasWords } from '../schema/text-words.ts';

export function memoryRows(): Rows {
  const stored = new Map<string, string>();
  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in Rows
    get: <T>(key: string) => {
      const text = stored.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    put: (key, value) => void (value === null ? stored.delete(key) : stored.set(key, JSON.stringify(value))),
    each: function* <T>(prefix: string, range: Range = {}) {
      for (const key of keysIn(stored, prefix, range)) yield [key, JSON.parse(stored.get(key) ?? 'null') as T];
    },
    texts: memoryTexts(),
  };
}

function memoryTexts(): Texts {
  const stored = new Map<string, string>();
  return {
    put: (key, text) => {
      stored.delete(key);
      if (text !== null) stored.set(key, text);
    },
    find: (words) => [...stored].flatMap(([key, text]) => (hasWords(text, words) ? [key] : [])).toReversed(),
  };
}

function keysIn(
  stored: ReadonlyMap<string, string>,
  prefix: string,
  { after, before, reverse = false, limit }: Range,
): string[] {
  const isWanted = (key: string): boolean =>
    key.startsWith(prefix) && (after === undefined || key > after) && (before === undefined || key < before);
  const keys = [...stored.keys()].filter(isWanted).toSorted();
  return (reverse ? keys.toReversed() : keys).slice(0, limit);
}
