/** Owns: lines of pages, and which pages have to be written again. What a part is: core/schema/learning-part.ts. */
import type { PageLine } from '../../core/schema/learning-part.ts';
import type { Rows } from '../../core/schema/rows.ts';

export const plain = (text: string): PageLine => ({ text, mark: null });

const OUTDATED = 'page-outdated/';

/** Marks a page as out of date; it is written again at the end of the pass. */
export function markPageOutdated(rows: Rows, page: string): void {
  if (!isPageErased(rows, page)) rows.put(`${OUTDATED}${page}`, true);
}

/** The same when a person wants that something on it is read nowhere any more: no earlier text of it stays. */
export const markPageErased = (rows: Rows, page: string): void => rows.put(`${OUTDATED}${page}`, 'erased');
export const isPageErased = (rows: Rows, page: string): boolean => rows.get(`${OUTDATED}${page}`) === 'erased';

export const markPageWritten = (rows: Rows, page: string): void => rows.put(`${OUTDATED}${page}`, null);

/** Pages that have to be written again. */
export const outdatedPages = (rows: Rows, limit = Number.POSITIVE_INFINITY): string[] =>
  Array.from(rows.each(OUTDATED, { limit }), ([key]) => key.slice(OUTDATED.length));
