/**
 * Owns: in which items each term occurs, in little memory.
 *
 * Most terms are in few items, most entries belong to a few frequent terms: a short list is an array, which costs less than
 * a typed one, and a long list is typed, at half the bytes for each entry.
 */

/** For each term a number for every item that has it, in the order in which they were added. */
export type Postings = Map<string, number[] | LongList>;

type LongList = { entries: Int32Array<ArrayBuffer>; length: number };

const MOST_IN_ARRAY = 64;

export function addPosting(postings: Postings, term: string, entry: number): void {
  const list = postings.get(term);
  if (list === undefined) postings.set(term, [entry]);
  else if (!Array.isArray(list)) append(list, entry);
  else if (list.push(entry) > MOST_IN_ARRAY) postings.set(term, longListOf(list));
}

/** In how many items a term is. */
export const countPostings = (postings: Postings, term: string): number => postings.get(term)?.length ?? 0;

/** What was added for a term; it holds until the next is added. Always typed, so that the loop over it is compiled once. */
export function postingsOf(postings: Postings, term: string): Int32Array {
  const list = postings.get(term) ?? [];
  return Array.isArray(list) ? Int32Array.from(list) : list.entries.subarray(0, list.length);
}

function longListOf(list: readonly number[]): LongList {
  const entries = new Int32Array(2 * list.length);
  entries.set(list);
  return { entries, length: list.length };
}

function append(list: LongList, entry: number): void {
  if (list.length === list.entries.length) {
    const bytes = list.entries.byteLength;
    list.entries = new Int32Array(list.entries.buffer.transfer(bytes + 4 * Math.ceil(bytes / 8))); // frees the old one at once
  }
  list.entries[list.length] = entry;
  list.length += 1;
}
