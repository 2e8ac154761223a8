/** Pages that people read and edit, as a pass needs them. */
import type { Page } from '../../core/schema/learning-part.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { composePage } from '../memory/pages/people-part.ts';
import { scanPages } from '../memory/pages/scan-pages.ts';
import { eraseEarlier, writePage } from '../memory/pages/write-page.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { pageStateFolder } from '../../kit/home/maintenance-folder.ts';

export type PageEdit = Extract<NewEvent, { type: 'page.edited' }>['data'];

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

export function openPages(home: Home, log?: (line: string) => void): Pages {
  const folder = { oka: home.oka, state: pageStateFolder(home), ...(log === undefined ? {} : { log }) };
  return {
    scan: (rendered) => scanPages(folder, rendered),
    put: (page, text) => writePage(folder, page, text),
    eraseEarlier: (page, text) => eraseEarlier(folder, page, text),
    text: composePage,
  };
}
