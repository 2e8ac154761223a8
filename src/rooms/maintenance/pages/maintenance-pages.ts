/** Pages that people read and edit, as a pass needs them. */
import type { Page, Part } from '../../../core/schema/learning-part.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { Home } from '../../../core/schema/home.ts';
import { composeText } from '../../../kit/learning/page-text.ts';
import { pageStateFolder } from '../../../kit/home/maintenance-folder.ts';
import type { PageEdit } from '../../../kit/learning/page-text.ts';
import { scanPages } from './scan-pages.ts';
import { eraseEarlier, writePage } from './write-page.ts';

export type Pages = {
  /** Edits of people that are not in the ledger yet. */
  scan(rendered: (page: string) => string | null): Promise<PageEdit[]>;
  /** Replaces or removes a page; if a person edited it in between, nothing is done and the edit is returned. */
  put(page: string, text: string | null): Promise<PageEdit | null>;
  /** Removes what is stored of a page besides this text, which it has now. */
  eraseEarlier(page: string, text: string | null): void;
  /** Its text, with the lines of people in it; null when there is nothing to show. */
  text(page: Page | null, name: string, rows: Rows): string | null;
};

export function openPages(home: Home, parts: readonly Part[], log?: (line: string) => void): Pages {
  const folder = { oka: home.oka, state: pageStateFolder(home), ...(log === undefined ? {} : { log }) };
  const people = parts.find((part) => part.compose !== undefined);
  return {
    scan: (rendered) => scanPages(folder, rendered),
    put: (page, text) => writePage(folder, page, text),
    eraseEarlier: (page, text) => eraseEarlier(folder, page, text),
    text: (page, name, rows) => people?.compose?.(page, name, rows) ?? composeText(page, []),
  };
}
