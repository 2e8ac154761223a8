/** What the server sent along with the document. */

export type PageEntry = {
  name: string;
  path: string;
  title: string;
  nav: { order: number; key: string; icon: string; isOnPhone: boolean } | null;
  view: string;
  styles: string[];
};

type Start = {
  /** Before every address: '/', or '/oka/' behind a proxy. */
  base: string;
  pages: readonly PageEntry[];
  rights: 'all' | 'read';
  first: { name: string; params: Record<string, string>; data?: unknown; error?: ShownError } | null;
  position: string;
};

export type ShownError = { code: string; message: string; fix?: string };

export const start = JSON.parse(document.getElementById('start')?.textContent ?? '{}') as Start;

/** The full address of a path of ours, such as `/runs`. */
export const addressOf = (path: string): string => start.base + path.replace(/^\//, '');
