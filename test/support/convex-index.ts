/** Documents in the order of some of their fields, as Convex orders values. */
import { compareValues, type JSONValue, jsonToConvex, type Value } from 'convex/values';

export type Document = { _id: string; _creationTime: number } & { [field: string]: Value };
export type Range = { type: 'Eq' | 'Gt' | 'Gte' | 'Lt' | 'Lte'; fieldPath: string; value: JSONValue };

export type SortedIndex = {
  add(document: Document): void;
  remove(document: Document): void;
  rows(range: readonly Range[], order: 'asc' | 'desc', limit: number | undefined): Document[];
};

export function sortedIndex(declared: readonly string[]): SortedIndex {
  const fields = [...declared, '_creationTime'];
  const sorted: Document[] = [];

  const compare = (one: Document, other: Document): number => {
    for (const field of fields) {
      const difference = compareValues(one[field], other[field]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  /** The first place whose document is not before the searched one. */
  const placeOf = (isBefore: (document: Document) => boolean): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(sorted[middle] as Document)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    add: (document) => {
      const last = sorted.at(-1);
      if (last === undefined || compare(last, document) < 0) sorted.push(document);
      else
        sorted.splice(
          placeOf((each) => compare(each, document) < 0),
          0,
          document,
        );
    },
    remove: (document) =>
      void sorted.splice(
        placeOf((each) => compare(each, document) < 0),
        1,
      ),
    rows: (range, order, limit) => {
      const bounds = range.map(({ type, fieldPath, value }) => ({ type, fieldPath, value: jsonToConvex(value) }));
      const isBefore = (document: Document): boolean => isOutside(document, bounds, -1);
      const isNotBehind = (document: Document): boolean => !isOutside(document, bounds, 1);
      const [from, to] = [placeOf(isBefore), placeOf(isNotBehind)];
      const most = limit ?? to - from;
      if (order === 'asc') return sorted.slice(from, Math.min(to, from + most));
      return sorted.slice(Math.max(from, to - most), Math.max(from, to)).toReversed();
    },
  };
}

/** Whether a document is before (-1) or behind (1) everything in the bounds, which name fields in their order. */
function isOutside(
  document: Document,
  bounds: readonly { type: Range['type']; fieldPath: string; value: Value | undefined }[],
  side: -1 | 1,
): boolean {
  for (const { type, fieldPath, value } of bounds) {
    const difference = compareValues(document[fieldPath], value) * side;
    if (type === 'Eq' && difference !== 0) return difference > 0;
    if (type === (side < 0 ? 'Gt' : 'Lt') && difference >= 0) return true;
    if (type === (side < 0 ? 'Gte' : 'Lte') && difference > 0) return true;
  }
  return false;
}
