/** Owns: how search servers are asked, and what their answers say. An answer is data of strangers: read field by field. Pure. */
import { jsonField } from '../../core/schema/json-field.ts';
import type { Json } from '../../core/schema/json.ts';
import type { SearchConfig } from '../../core/schema/search.ts';

export type SearchQuery = { query: string; limit: number; since?: 'day' | 'week' | 'month' | 'year' | undefined };
type SearchResult = { title: string; url: string; text: string; date?: string };
type SearchRequest = { url: URL; headers: Record<string, string> };

export type SearchProvider = {
  /** Where requests go; a key is given to this host only. */
  server: URL;
  needsKey: boolean;
  request: (asked: SearchQuery, key: string) => SearchRequest;
  results: (answer: Json) => SearchResult[];
  /** What the operator can do about a status; null when nothing special is known. */
  advice: (status: number) => string | null;
};

const TEXT_CHARS = 600;

/** Null when none is configured. */
export function searchProvider(config: SearchConfig): SearchProvider | null {
  if (config.provider === 'none') return null;
  return config.provider === 'brave' ? brave(config) : searxng(config);
}

function searxng({ url = '', language }: SearchConfig): SearchProvider {
  const server = new URL(`${url.replace(/\/+$/, '').replace(/\/search$/, '')}/search`);
  return {
    server,
    needsKey: false,
    request: ({ query, since }) => ({
      url: withParameters(server, { q: query, format: 'json', time_range: since, language }),
      headers: {},
    }),
    results: (answer) => listField(answer, 'results').flatMap((found) => toResult(found, 'content', 'publishedDate')),
    advice: (status) =>
      status === 403
        ? 'Does its settings.yml list json under search.formats? Is its limiter off for this machine?'
        : null,
  };
}

const SINCE = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };

function brave({
  url = 'https://api.search.brave.com/res/v1/web/search',
  language,
  key: name,
}: SearchConfig): SearchProvider {
  const server = new URL(url);
  return {
    server,
    needsKey: true,
    request: ({ query, limit, since }, key) => ({
      url: withParameters(server, {
        q: query,
        count: String(limit),
        freshness: since === undefined ? undefined : SINCE[since],
        search_lang: language?.slice(0, 2),
      }),
      headers: { 'x-subscription-token': key },
    }),
    results: (answer) =>
      listField(jsonField(answer, 'web'), 'results').flatMap((found) => toResult(found, 'description', 'page_age')),
    advice: (status) =>
      [401, 403, 422].includes(status)
        ? `Is the secret ${name} a valid key? Set it again: oka secrets set ${name} --tool web.search --host ${server.hostname}`
        : null,
  };
}

function withParameters(server: URL, values: Readonly<Record<string, string | undefined>>): URL {
  const url = new URL(server);
  for (const [name, value] of Object.entries(values)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Results without a web address are left out. */
function toResult(found: Json, text: string, date: string): SearchResult[] {
  const url = URL.parse(textField(found, 'url'));
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.href.length > 2000) return [];
  const day = textField(found, date).slice(0, 40);
  return [
    {
      title: plainText(textField(found, 'title')).slice(0, 300),
      url: url.href,
      text: plainText(textField(found, text)).slice(0, TEXT_CHARS),
      ...(day === '' ? {} : { date: day }),
    },
  ];
}

/** Providers mark the words that were found with tags. */
const plainText = (text: string): string =>
  text
    .slice(0, 10_000)
    .replaceAll(/<\/?(?:strong|b|em|i|mark)>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function listField(value: Json, name: string): Json[] {
  const list = jsonField(value, name);
  return Array.isArray(list) ? list.slice(0, 200) : [];
}

function textField(value: Json, name: string): string {
  const text = jsonField(value, name);
  return typeof text === 'string' ? text : '';
}
