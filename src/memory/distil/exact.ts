/** What in a text stands for one thing alone: numbers, quotations, paths, addresses, code and names, each as often as it is there. */

export function exactIn(text: string): string[] {
  const quoted = text.match(/[“"„`][^“”"„`]*[”"“`]/gu) ?? [];
  const tokens = text.split(/\s+/).map((each) => each.replaceAll(/^[(“"„`,;]+|[)”"“`,;.!?:]+$/g, ''));
  const names = tokens.filter((each, at) => /[\d/\\@_:=$%&+~.]/.test(each) || isName(each, at));
  return [...quoted, ...names].toSorted();
}

const isName = (token: string, at: number): boolean =>
  /\p{Lu}/u.test(token) && !COMMON.has(token) && !(at === 0 && /^\p{Lu}\p{Ll}*$/u.test(token));

/** Capital letters at the beginning of a sentence behind a colon are no names. */
const COMMON = new Set('A An The In When If It Always Never Whenever People For With On At To'.split(' '));
