/** Owns: which pages, slides or chapters a request asks for. Pure. */
import { Unreadable } from './document-contract.ts';

type PageRange = { first: number; last: number };

/** `of`: how many there are; `what`: their name in messages. */
export function parsePageRange(given: string | undefined, of: number, what: string): PageRange {
  if (given === undefined) return { first: 1, last: of };
  const [, from, dash, to] = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?)?\s*$/.exec(given) ?? [];
  if (from === undefined)
    throw new Unreadable(`"${given}" names no ${what}s`, 'Use a number or a range, such as 3 or 2-5.');
  const first = Number(from);
  const last = dash === undefined ? first : Math.min(Number(to ?? of), of);
  if (first < 1 || first > of || last < first)
    throw new Unreadable(`there is no ${what} ${given}`, `The document has ${of} ${what}${of === 1 ? '' : 's'}.`);
  return { first, last };
}
