/**
 * Owns: the one HTML document: every page is this document with another start. Its data comes along, so that the first
 * paint needs no second question.
 */
import { createHash } from 'node:crypto';
import type { Json } from '../../../core/schema/json.ts';
import type { Page } from '../page.ts';
import type { BrowserFiles } from './browser-files.ts';
import type { Say, Speaker } from '../../text/languages.ts';

export type Start = {
  /** Before every address: '/', or '/oka/' behind a proxy. */
  base: string;
  pages: readonly {
    name: string;
    path: string;
    title: string;
    nav: { order: number; key: string; icon: string; isOnPhone: boolean } | null;
    view: string;
    styles: string[];
  }[];
  rights: 'all' | 'read';
  /** The data of the page that was asked for; null when it could not be read. */
  first: { name: string; params: Record<string, string>; data?: unknown; error?: Json } | null;
  /** Where in the ledgers the data is; what happens later comes by the stream. */
  position: string;
};

type Document = { html: string; policy: string };

const ICON = new URL('../browser/icon.svg', import.meta.url);

type Around = { files: BrowserFiles; base: string; speaker: Speaker };

export function writeDocument(start: Start | null, { files, base, speaker }: Around, page: Page | null): Document {
  const { say, language } = speaker;
  const entry =
    start === null ? new URL('../browser/login.ts', import.meta.url) : new URL('../browser/app.ts', import.meta.url);
  const map = JSON.stringify({
    imports: Object.fromEntries(Object.entries(files.imports).map(([name, path]) => [name, base + path])),
  });
  const address = (file: URL): string => base + files.addressOf(file);
  const styles = [new URL('../browser/style.css', import.meta.url), ...(page?.styles ?? [])];
  const preload = files.modulesOf([entry, ...(page === null ? [] : [page.view])]).map((path) => base + path);
  const words = files.wordsFor(language);
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(say(page?.title ?? 'oka'))}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${address(ICON)}">
<link rel="manifest" href="${base}manifest.webmanifest">
${styles.map((file) => `<link rel="stylesheet" href="${address(file)}">`).join('\n')}
<script type="importmap">${map}</script>
${preload.map((href) => `<link rel="modulepreload" href="${href}">`).join('\n')}
${words === null ? '' : `<script defer src="${base}${words}"></script>`}
<script type="module" src="${address(entry)}"></script>
</head>
<body>
<div id="app">${start === null ? '' : barOf(start, page, say)}<noscript>${escapeHtml(say('This dashboard needs JavaScript. Everything here is also there as a command: oka help'))}</noscript></div>
<script type="application/json" id="start">${escapeJson(start ?? { base })}</script>
</body>
</html>
`;
  return { html, policy: policyWith(map) };
}

/** The bar as app-shell.ts draws it, so that it is there before any script has run. */
function barOf({ base, pages }: Start, page: Page | null, say: Say): string {
  const links = pages
    .filter(({ nav }) => nav !== null)
    .toSorted((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0))
    .map(({ name, path, title, nav }) => {
      const current = name === page?.name ? ' aria-current="page"' : '';
      const icon = `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${nav?.icon}"/></svg>`;
      return `<a href="${base}${path.slice(1)}"${nav?.isOnPhone === true ? ' class="on-phone"' : ''}${current}>${icon}${escapeHtml(title)}</a>`;
    });
  return `<header class="bar"><a class="brand" href="${base}" aria-label="${escapeHtml(say('oka, now'))}">oka</a><nav aria-label="${escapeHtml(say('Pages'))}">${links.join('')}</nav></header>`;
}

function policyWith(map: string): string {
  const hash = createHash('sha256').update(map).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** JSON that no text inside can end early. */
const escapeJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
