/**
 * Owns: web.search: asking the search server that the operator configured.
 *
 * S1 A request goes to that server and nowhere else: a redirect is an error, so that no query reaches a host that nobody
 *    named.
 * S2 The key leaves the vault for this one request.
 */
import { z } from 'zod';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { defineTool, failure, ok } from '../../kit/define-tool.ts';
import type { SearchProvider, SearchQuery } from './search-providers.ts';

type WebSearchOptions = {
  provider: SearchProvider;
  fetch: typeof globalThis.fetch;
  /** The key for a host; throws when there is none for it. */
  keyFor: (host: string) => Promise<string>;
  timeoutMs?: number;
};

const TIMEOUT_MS = 20_000;
const LIMIT_BYTES = 2_000_000;

const Input = z.strictObject({
  query: z.string().trim().min(1).max(400).describe('What to search for, as you would type it.'),
  limit: z.int().min(1).max(20).default(8).describe('How many results.'),
  since: z.enum(['day', 'week', 'month', 'year']).optional().describe('Only what is not older.'),
});
const Output = z.strictObject({
  results: z
    .array(
      z.strictObject({
        title: z.string().describe('Title of the page.'),
        url: z.string().describe('Its address; read it with web.read.'),
        text: z.string().describe('What the search server shows of it.'),
        date: z.string().optional().describe('When it was published, if known.'),
      }),
    )
    .describe('Best first.'),
  via: z.array(z.string()).describe('The host that was asked.'),
});

export function webSearchTool(options: WebSearchOptions): Tool {
  return defineTool({
    name: 'web.search',
    about: 'Searches the web and gives titles, addresses and excerpts.',
    input: Input,
    output: Output,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: (asked, call) => search(asked, options, call),
  });
}

async function search(asked: SearchQuery, options: WebSearchOptions, call: ToolCall): Promise<Outcome> {
  const { provider } = options;
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  try {
    const answer = await askServer(asked, options, AbortSignal.any([call.signal, timeout]));
    return ok({ results: provider.results(answer).slice(0, asked.limit), via: [provider.server.host] });
  } catch (error) {
    if (error instanceof OkaError || call.signal.aborted) throw error;
    if (error instanceof BadStatus) return { status: 'failed', error: error.message, temporary: error.isTemporary };
    const why = timeout.aborted ? 'no answer in time' : describeCause(error);
    return {
      status: 'failed',
      error: `the search server ${provider.server.host} is not reachable: ${why}`,
      temporary: true,
    };
  }
}

async function askServer(asked: SearchQuery, options: WebSearchOptions, signal: AbortSignal): Promise<Json> {
  const { provider, keyFor, fetch } = options;
  const { server } = provider;
  const { url, headers } = provider.request(asked, provider.needsKey ? await keyFor(server.hostname) : '');
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...headers },
    redirect: 'manual',
    signal,
  });
  const { status } = response;
  if (status >= 300 && status < 400)
    throw failure(
      `the search server ${server.host} redirects to another address`,
      'A person has to correct search.url in config.json.',
    );
  if (!response.ok) {
    await response.body?.cancel();
    throw new BadStatus(`the search server ${server.host} answered ${status}`, status, provider.advice(status));
  }
  return parseAnswer(await readLimited(response, server.host), server.host);
}

class BadStatus extends Error {
  readonly isTemporary: boolean;
  constructor(message: string, status: number, advice: string | null) {
    super(advice === null ? message : `${message}. ${advice}`);
    this.isTemporary = status === 429 || status >= 500;
  }
}

function parseAnswer(text: string, host: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    const what = /^\s*</.test(text) ? 'a page instead of JSON' : 'something that is not JSON';
    throw failure(`the search server ${host} answered with ${what}`, 'A person has to check `search` in config.json.');
  }
}

async function readLimited(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LIMIT_BYTES) throw failure(`the answer of ${host} is longer than ${LIMIT_BYTES} bytes`, 'Ask for less.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The message of fetch itself only says that it failed. */
function describeCause(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error);
}
