/** When wheels were published, as far as the index tells; an index that does not tell is believed. */
import type { ToolCall } from '../../schema/tool.ts';
import { type Bench, failureIn, saidBy } from './installing.ts';

const DAY_MS = 86_400_000;
const PAGE = /Fetching project page and analyzing links: (https?:\/\/\S+)/g;

/** Prints the times of the files on pages that an index gives as JSON. */
const ASK = `const told = {};
for (const url of process.argv.slice(1)) {
  try {
    const page = await fetch(url, { headers: { accept: 'application/vnd.pypi.simple.v1+json' } });
    if (!/json/.test(page.headers.get('content-type') ?? '')) continue;
    for (const file of (await page.json()).files ?? []) if (file['upload-time']) told[file.filename] = file['upload-time'];
  } catch {}
}
console.log('\\n' + JSON.stringify(told));`;

/** Files that are younger than the policy wants; `said` is what pip wrote while it fetched them. */
export async function tooYoung(
  files: readonly string[],
  said: string,
  bench: Bench,
  call: ToolCall,
): Promise<string[]> {
  const { limits, tools, now, run } = bench;
  const pages = [...new Set([...said.matchAll(PAGE)].map(([, url = '']) => url))].slice(0, 200);
  if (limits.min_age_days === 0 || pages.length === 0) return [];
  const ran = await run(['node', '--input-type=module', '-e', ASK, ...pages], { cwd: tools, net: true }, call);
  if ('refused' in ran || failureIn(ran) !== null) return [];
  const told = JSON.parse(saidBy(ran).split('\n').at(-1) ?? '{}') as Record<string, string>;
  const since = now - limits.min_age_days * DAY_MS;
  return files.filter((file) => Date.parse(told[file] ?? '') > since);
}
