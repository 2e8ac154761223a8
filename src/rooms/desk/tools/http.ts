/** Owns: http.get and http.request, and what an answer is to a call. Does not own: who may be asked (http-client.ts). */
import { z } from 'zod';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { isText, toBodyText, bodyFields, asCaptured } from '../../../kit/text/body-text.ts';
import { ok, defineTool } from '../../../kit/define-tool.ts';
import { openedHosts } from '../../../kit/egress/opened-hosts.ts';
import {
  type Ask,
  type NetOptions,
  type Reply,
  request,
  requestFailure,
  shownUrl,
  type Trip,
} from '../../../kit/egress/http-client.ts';

export type HttpOptions = NetOptions & { artifacts?: ArtifactStore; timeoutMs?: number };

const TIMEOUT_MS = 60_000;
const QUOTED = 500;
const SHOWN_HEADERS = ['content-type', 'last-modified', 'etag', 'location', 'link', 'retry-after'];

const Url = z.string().min(1).max(8000).describe('An http or https address.');
const Headers = z
  .record(z.string().max(200), z.string().max(8000))
  .default({})
  .describe('Request headers. A credential is named, not written out.');
const Output = z.strictObject({
  status: z.int().describe('HTTP status.'),
  url: z.string().describe('Where the answer came from.'),
  via: z.array(z.string()).optional().describe('After redirects: every host that was asked, in order.'),
  headers: z.record(z.string(), z.string()).describe('The headers that matter.'),
  body: z.string().describe('The text; when long, head and tail.'),
  ...bodyFields,
});

export function httpTools(options: HttpOptions): Tool[] {
  return [getTool(options), requestTool(options)];
}

function getTool(options: HttpOptions): Tool {
  return defineTool({
    name: 'http.get',
    about: 'Gets a page or a document from the web, following redirects.',
    input: z.strictObject({ url: Url, headers: Headers }),
    output: Output,
    annotations: { read_only: true, idempotent: true, risk: 'medium' },
    targets: ['url'],
    class: 'read',
    act: ({ url, headers }, call) =>
      exchange(url, { method: 'GET', headers }, { ...options, redirects: 'followed' }, call),
  });
}

/**
 * Never follows a redirect: what was meant for one place is not sent to another. The class does not depend on the
 * method: there are servers on which a GET deletes.
 */
function requestTool(options: HttpOptions): Tool {
  return defineTool({
    name: 'http.request',
    about: 'Sends a request to a web service. A redirect is given back, not followed.',
    input: z.strictObject({
      method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']),
      url: Url,
      headers: Headers,
      body: z.string().max(1_000_000).optional().describe('What to send.'),
    }),
    output: Output,
    annotations: { destructive: true, risk: 'high' },
    targets: ['url'],
    class: 'external_mutation',
    act: ({ url, ...ask }, call) => exchange(url, ask, { ...options, redirects: 'given back' }, call),
  });
}

async function exchange(
  to: string,
  ask: Ask,
  options: HttpOptions & Pick<Trip, 'redirects'>,
  call: ToolCall,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  let isReached = false;
  try {
    const trip = {
      ...options,
      isOpened: openedHosts(call, to),
      whyNotFollow: call.whyNotFollow,
      signal: AbortSignal.any([call.signal, timeout]),
      onReached: () => void (isReached = true),
    };
    return await toHttpOutcome(await request(to, ask, trip), options.artifacts);
  } catch (error) {
    const failed = requestFailure(error, to, { call: call.signal, timeout });
    return isReached ? { ...failed, unseen: true } : failed;
  }
}

/** How long the server asks to wait, for whoever tries again. */
function pauseOf({ 'retry-after': after }: Reply['headers']): string {
  return after !== undefined && /^\d{1,6}$/.test(after) ? ` (retry after ${after} s)` : '';
}

async function toHttpOutcome(
  { url, status, headers, body, hosts }: Reply,
  artifacts?: ArtifactStore,
): Promise<Outcome> {
  if (status >= 400) {
    const words = isText(body) ? body.toString().slice(0, QUOTED).trim() : `${body.length} bytes that are not text`;
    const temporary = status >= 500 || status === 429;
    return { status: 'failed', error: `${shownUrl(url)} answered ${status}${pauseOf(headers)}: ${words}`, temporary };
  }
  const media = headers['content-type']?.slice(0, 200);
  const shown = await toBodyText(asCaptured(body), { artifacts, ...(media === undefined ? {} : { media }) });
  const { text, ...rest } = shown;
  const telling = Object.entries(headers).filter(
    ([name, value]) => SHOWN_HEADERS.includes(name) && typeof value === 'string',
  );
  const via = hosts.length > 1 ? { via: [...hosts] } : {};
  const output = { status, url: url.href, ...via, headers: Object.fromEntries(telling), body: text, ...rest };
  return { ...ok(output, shown), usage: { output_bytes: body.length } };
}
