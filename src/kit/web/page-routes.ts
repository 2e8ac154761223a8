/** Owns: the addresses of pages: the document with its first data, or the login page for whoever is not known. */
import type { Context, Hono } from 'hono';
import { errorShown } from './api/problem.ts';
import { readQuery, type Reading } from './api/query-routes.ts';
import type { BrowserFiles } from './assets/browser-files.ts';
import { type Start, writeDocument } from './assets/document.ts';
import type { Session } from './login/access.ts';
import type { LedgerTail } from './live/ledger-tail.ts';
import { findPage, type Found } from './browser/match-path.ts';
import type { Page } from './page.ts';
import { loadConfig } from '../settings.ts';
import { languageAsked, type Speaker, speakerOf } from '../text/languages.ts';
import type { Home } from '../../core/schema/home.ts';

type PageParts = {
  pages: readonly Page[];
  files: BrowserFiles;
  base: string;
  tail: LedgerTail;
  reading: Reading;
  find: (context: Context) => Session | null;
  /** Whether a browser shows the cookie of a session: it gets the page, and no data until it has proved more. */
  isVisitor: (context: Context) => boolean;
};

export function addDocumentRoutes(app: Hono, parts: PageParts): void {
  const { pages, files, base } = parts;
  const around = async ({ req }: Context) => ({ files, base, speaker: await speakerFor(parts.reading.home, req) });
  app.get('/login', async (context) => send(context, writeDocument(null, await around(context), null)));
  app.get('*', async (context) => {
    const session = parts.find(context);
    if (session === null && !parts.isVisitor(context))
      return send(context, writeDocument(null, await around(context), null), 401);
    const path = `/${context.req.path.slice(base.length)}`;
    const found = findPage(pages, path);
    const spoken = await around(context);
    const start = await startOf(parts, found, context, session, spoken.speaker);
    const document = writeDocument(start, spoken, found?.page ?? null);
    return send(context, document, found === null ? 404 : 200);
  });
}

/** As the setting says, else as the browser asks; a setting that cannot be read is shown by the pages. */
async function speakerFor(home: Home, req: Context['req']): Promise<Speaker> {
  const set = await loadConfig(home).then(
    ({ language }) => language,
    () => undefined, // Now and Health say what is wrong with the file
  );
  return speakerOf(set ?? languageAsked(req.header('accept-language') ?? ''));
}

function send(
  context: Context,
  { html, policy }: { html: string; policy: string },
  status: 200 | 401 | 404 = 200,
): Response {
  return context.html(html, status, { 'Content-Security-Policy': policy });
}

async function startOf(
  parts: PageParts,
  found: Found<Page> | null,
  context: Context,
  session: Session | null,
  { say }: Speaker,
): Promise<Start> {
  const { pages, files, base, tail, reading } = parts;
  const { run, maintenance } = tail.position();
  return {
    base,
    pages: pages.map(({ name, path, title, nav, view, styles }) => ({
      name,
      path,
      title: say(title),
      nav: nav === undefined || nav.isFor?.(reading.home) === false ? null : navOf(nav),
      view: base + files.addressOf(view),
      styles: (styles ?? []).map((file) => base + files.addressOf(file)),
    })),
    rights: session?.rights ?? 'all', // every browser may do everything
    first: found === null || session === null ? null : await firstData(found, parts, context),
    position: `r${run}m${maintenance}`,
  };
}

const navOf = ({ order, key, icon, isOnPhone = false }: NonNullable<Page['nav']>) => ({ order, key, icon, isOnPhone });

/** What cannot be read is shown as an error in the page, with everything else around it. */
async function firstData(
  { page, params }: Found<Page>,
  { reading }: PageParts,
  { req }: Context,
): Promise<Start['first']> {
  const given = { ...Object.fromEntries(new URL(req.url).searchParams), ...params };
  try {
    return { name: page.name, params: given, data: await readQuery(page.query, given, reading, req.raw.signal) };
  } catch (error) {
    return { name: page.name, params: given, error: errorShown(error) };
  }
}
