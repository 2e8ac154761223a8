/** The exact terms of a text: numbers, quotations, paths, addresses, code and names, with repetitions. */

export function exactTerms(text: string): string[] {
  const quoted = text.match(/[“"„`][^“”"„`]*[”"“`]/gu) ?? [];
  const tokens = text.split(/\s+/).map((each) => each.replaceAll(/^[(“"„`,;]+|[)”"“`,;.!?:]+$/g, ''));
  const names = tokens.filter((each, at) => /[\d/\\@_:=$%&+~.]/.test(each) || isName(each, at));
  return [...quoted, ...names].toSorted();
}

const isName = (token: string, at: number): boolean =>
  /\p{Lu}/u.test(token) && !COMMON.has(token) && !(at === 0 && /^\p{Lu}\p{Ll}*$/u.test(token));

/** Common words that are capitalised only because they begin a sentence. */
const COMMON = new Set('A An The In When If It Always Never Whenever People For With On At To'.split(' '));
