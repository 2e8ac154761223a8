/**
 * Owns: how a file that a task produced is sent. It is untrusted, whatever it is called.
 *
 * 1. Nothing in it runs, fetches or submits: the browser gets it in a sandbox without scripts, under a policy that allows
 *    nothing from elsewhere, and takes the type that we name.
 * 2. Text is plain text. Images are sent as what they are, pages and drawings as a copy that leads nowhere
 *    (clean-markup.ts); everything else is a download, and so is the original of each.
 */
import { basename, extname } from 'node:path';

const INLINE: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.svg': 'text/html; charset=utf-8', // the copy is a page that contains the drawing
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};
const TEXT = new Set(
  '.md .markdown .txt .csv .tsv .json .jsonl .log .ts .js .mjs .py .sh .yaml .yml .toml .xml .css .sql .ini .diff .patch'.split(
    ' ',
  ),
);
/** Larger files are not for looking at. */
const MOST_INLINE = 16 * 1024 * 1024;
const MOST_MARKUP = 4 * 1024 * 1024;
const MARKUP = new Set(['.html', '.htm', '.svg']);

/** Whether a file is shown as a cleaned copy. */
export const isMarkup = (path: string): boolean => MARKUP.has(extname(path).toLowerCase());

const POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

export function fileHeaders(
  path: string,
  bytes: number,
  { isDownload = false }: { isDownload?: boolean } = {},
): Record<string, string> {
  const ending = extname(path).toLowerCase();
  const type = INLINE[ending] ?? (TEXT.has(ending) || ending === '' ? 'text/plain; charset=utf-8' : undefined);
  const isShown = type !== undefined && !isDownload && bytes <= (isMarkup(path) ? MOST_MARKUP : MOST_INLINE);
  return {
    'Content-Type': isMarkup(path) && !isShown ? 'application/octet-stream' : (type ?? 'application/octet-stream'),
    'Content-Length': String(bytes),
    'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; ${fileNameParameter(path)}`,
    'Content-Security-Policy': POLICY,
    'X-DNS-Prefetch-Control': 'off',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'Cache-Control': 'no-store',
  };
}

/** A name may contain anything; a header may not. */
function fileNameParameter(path: string): string {
  const name = basename(path);
  const plain = name.replaceAll(/[^\w.-]+/g, '_').slice(0, 150);
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded.slice(0, 900).replace(/%[0-9A-F]?$/i, '')}`;
}
