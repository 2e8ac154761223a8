/**
 * Owns: when wheels were published, and which are too young for the policy.
 *
 * A1 The index is asked: `upload-time` in its JSON; where it gives none, what the server says about when the file was
 *    changed. A file that is older than the policy wants has been there for that long.
 * A2 What is on this machine, in folders that the operator named, is the operator's own and has no age.
 * A3 A wheel without a date is not installed, unless the policy says otherwise (installs.unknown_age).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolCall } from '../../../core/schema/tool.ts';
import { type InstallContext, failureIn, outputText } from './installer.ts';

const DAY_MS = 86_400_000;
const PAGE = /Fetching project page and analyzing links: ((?:https?|file):\/\/\S+)/g;
const LINKS = /^\s*Looking in links: (.+)$/gm;

/** Prints the times of files: those that an index gives as JSON, else those of the files themselves. */
const ASK = `const { pages, files, urls } = JSON.parse(process.argv[1]);
const { readFile } = await import('node:fs/promises');
const { fileURLToPath } = await import('node:url');
const times = {};
const places = { ...urls };
const wanted = new Set(files);
const nameOf = (url) => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
for (const url of pages) {
  try {
    const isHere = url.startsWith('file:');
    const page = isHere ? null : await fetch(url, { headers: { accept: 'application/vnd.pypi.simple.v1+json, text/html;q=0.1' } });
    if (/json/.test(page?.headers.get('content-type') ?? '')) {
      for (const file of (await page.json()).files ?? []) {
        if (!wanted.has(file.filename)) continue;
        if (file['upload-time']) times[file.filename] = file['upload-time'];
        places[file.filename] ??= new URL(file.url, page.url).href;
      }
      continue;
    }
    const html = isHere ? await readFile(fileURLToPath(url.replace(/\\/*$/, '/index.html')), 'utf8') : await page.text();
    for (const [, href] of html.matchAll(/<a\\s[^>]*href\\s*=\\s*["']([^"']+)/gi)) {
      const place = new URL(href.replaceAll('&amp;', '&'), isHere ? url.replace(/\\/*$/, '/') : page.url).href;
      if (wanted.has(nameOf(place))) places[nameOf(place)] ??= place;
    }
  } catch {} // another index may have it
}
for (const [file, url] of Object.entries(places)) {
  if (times[file]) continue;
  if (url.startsWith('file:')) { times[file] = 'here'; continue; }
  try {
    const head = await fetch(url, { method: 'HEAD' });
    const changed = head.ok ? head.headers.get('last-modified') : null;
    if (changed) times[file] = new Date(changed).toISOString();
  } catch {}
}
console.log('\\n' + JSON.stringify(times));`;

export type WheelAges = { young: string[]; undated: string[] };

/** `output` is what pip wrote while it fetched the files. */
export async function checkAgesByPip(
  files: readonly string[],
  output: string,
  bench: InstallContext,
  call: ToolCall,
): Promise<WheelAges> {
  const folders = [...output.matchAll(LINKS)]
    .flatMap(([, list = '']) => list.split(', '))
    .map((place) => (place.startsWith('file:') ? fileURLToPath(place) : place))
    .filter((place) => place.startsWith('/'));
  const foreign = files.filter((file) => !folders.some((folder) => existsSync(join(folder, file)))); // files of the operator have no age (A2)
  const pages = [...new Set([...output.matchAll(PAGE)].map(([, url = '']) => url))].slice(0, 200);
  return checkAges(foreign, { pages, urls: {} }, bench, call);
}

/** `urls` are the addresses of files whose age the index does not report. */
export async function checkAges(
  files: readonly string[],
  { pages, urls }: { pages: readonly string[]; urls: Readonly<Record<string, string>> },
  bench: InstallContext,
  call: ToolCall,
): Promise<WheelAges> {
  const { limits, tools, now, run } = bench;
  if (limits.min_age_days === 0 || files.length === 0) return { young: [], undated: [] };
  const asking = JSON.stringify({ pages, files, urls });
  const ran = await run(['node', '--input-type=module', '-e', ASK, asking], { cwd: tools, net: true }, call);
  const answer = 'refused' in ran || failureIn(ran) !== null ? '{}' : (outputText(ran).split('\n').at(-1) ?? '{}');
  const times = JSON.parse(answer) as Record<string, string>;
  const since = now - limits.min_age_days * DAY_MS;
  return {
    young: files.filter((file) => Date.parse(times[file] ?? '') > since),
    undated: limits.unknown_age === 'take' ? [] : files.filter((file) => times[file] === undefined), // refused unless the policy allows it (A3)
  };
}

/** Why something that nobody can date is not installed. */
export const undatedReason = (file: string, { limits }: Pick<InstallContext, 'limits'>): string =>
  `the Python index does not say when ${file} was published, and releases younger than ${limits.min_age_days} days are not installed; to allow it, set installs.unknown_age to take (POLICY.md)`;
