/** Owns: web.read: a page of the web as text that can be read, with its links, in portions. */
import { z } from 'zod';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import { ArtifactRef, type Outcome, type Tool, type ToolCall } from '../../core/schema/tool.ts';
import { decodePage } from '../../kit/documents/web-page-encoding.ts';
import { defineTool, failure, ok } from '../../kit/define-tool.ts';
import { openedHosts } from '../../kit/egress/opened-hosts.ts';
import { type NetOptions, type Reply, request, requestFailure, shownUrl } from '../../kit/egress/http-client.ts';
import { type PageLimits, type ReadablePage, readPageText } from './web-page-text.ts';

export type WebReadOptions = NetOptions & { artifacts?: ArtifactStore; timeoutMs?: number; pageLimits?: PageLimits };

const TIMEOUT_MS = 60_000;
/** What is behind it is not read: no page that is worth it is longer. */
const PAGE_BYTES = 4_194_304;
const PORTION_CHARS = 8000;
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;
const TEXT = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml)\b)/i;

const Input = z.strictObject({
  url: z.string().min(1).max(8000).describe('An http or https address.'),
  from: z.int().min(0).default(0).describe('The character to continue at: `next` of the portion before.'),
});
const Output = z.strictObject({
  url: z.string().describe('Where the page came from.'),
  via: z.array(z.string()).optional().describe('After redirects: every host that was asked, in order.'),
  title: z.string().describe('Its title.'),
  text: z.string().describe('This portion of it, as markdown.'),
  next: z.int().optional().describe('Where the next portion begins, when there is more.'),
  note: z.string().optional().describe('What is missing or uncertain.'),
  artifact: ArtifactRef.optional().describe('All of it, when it has several portions.'),
});

export function webReadTool(options: WebReadOptions): Tool {
  return defineTool({
    name: 'web.read',
    about: 'Reads a web page as markdown, with its links and without menus and scripts.',
    input: Input,
    output: Output,
    annotations: { read_only: true, idempotent: true, risk: 'medium' },
    targets: ['url'],
    class: 'read',
    act: ({ url, from }, call) => readPage(url, from, options, call),
  });
}

async function readPage(to: string, from: number, options: WebReadOptions, call: ToolCall): Promise<Outcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = AbortSignal.any([call.signal, timeout]);
  try {
    const trip = {
      limitBytes: PAGE_BYTES,
      ...options,
      overflow: 'cut' as const,
      redirects: 'followed' as const,
      isOpened: openedHosts(call, to),
      whyNotFollow: call.whyNotFollow,
      signal,
    };
    const headers = { accept: 'text/html,application/xhtml+xml,text/*;q=0.8,*/*;q=0.1' };
    const reply = await request(to, { method: 'GET', headers }, trip);
    if (reply.status >= 400) return badStatus(reply);
    const page = await pageOf(reply, signal, options);
    return await toOutcome(reply, page, from, options.artifacts);
  } catch (error) {
    return requestFailure(error, to, { call: call.signal, timeout });
  }
}

function badStatus({ url, status }: Reply): Outcome {
  return { status: 'failed', error: `${shownUrl(url)} answered ${status}`, temporary: status >= 500 || status === 429 };
}

async function pageOf(
  { url, headers, body }: Reply,
  signal: AbortSignal,
  options: WebReadOptions,
): Promise<ReadablePage> {
  const media = headers['content-type'] ?? '';
  if (/gzip|br|deflate|zstd/i.test(headers['content-encoding'] ?? ''))
    throw failure(`${shownUrl(url)} is compressed although that was not asked for`, 'Read another page.');
  const isHtml = HTML.test(media) || (media === '' && /^\s*</.test(body.toString('latin1', 0, 200)));
  if (!isHtml && !TEXT.test(media) && (media !== '' || body.includes(0)))
    throw failure(`${shownUrl(url)} is ${media.slice(0, 100) || 'no text'}, not a page`, 'Get it with http.get.');
  const text = decodePage(body, media);
  if (!isHtml) return { title: '', text, isSimplified: false };
  const page = await readPageText({ html: text, url: url.href }, signal, options.pageLimits);
  if (page.text !== '') return page;
  throw failure(`${shownUrl(url)} has no text: scripts fill it, and they are not run`, 'Read another page about it.');
}

async function toOutcome(reply: Reply, page: ReadablePage, from: number, artifacts?: ArtifactStore): Promise<Outcome> {
  const { text, title } = page;
  if (from > 0 && from >= text.length) throw failure(`the page has only ${text.length} characters`, 'Begin at 0.');
  const end = portionEnd(text, from);
  const isWhole = from === 0 && end === text.length;
  const artifact = isWhole ? undefined : await artifacts?.put(text, { media: 'text/markdown' });
  const output = {
    url: reply.url.href,
    ...(reply.hosts.length > 1 ? { via: [...reply.hosts] } : {}),
    title: title.slice(0, 500),
    text: text.slice(from, end),
    ...(end < text.length ? { next: end } : {}),
    ...noteOn(reply, page),
    ...(artifact === undefined ? {} : { artifact }),
  };
  const stored = artifact === undefined ? {} : { artifacts: [artifact] };
  return { ...ok(output), ...stored, usage: { output_bytes: reply.body.length } };
}

/** A portion ends with a line, if one ends in its second half, and never inside a character. */
function portionEnd(text: string, from: number): number {
  const longest = from + PORTION_CHARS;
  if (longest >= text.length) return text.length;
  const line = text.lastIndexOf('\n', longest) + 1;
  if (line > from + PORTION_CHARS / 2) return line;
  return /[\uD800-\uDBFF]/.test(text[longest - 1] ?? '') ? longest - 1 : longest;
}

function noteOn({ isCut, url }: Reply, { isSimplified }: ReadablePage): { note?: string } {
  const notes = [
    ...(isCut ? [`${shownUrl(url)} is longer than ${PAGE_BYTES} bytes; the rest was not read.`] : []),
    ...(isSimplified ? ['The page is too large or too broken to tell its text from menus.'] : []),
  ];
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}
