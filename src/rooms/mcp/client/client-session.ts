/**
 * Owns: one connection to a server, in whichever era of the protocol it speaks. The only door to the MCP client library.
 * Does not own: the process or the address (the transport), which tools people have accepted (tool-pins.ts).
 *
 * S1 What a server sends is never compiled or trusted: lists are read tool by tool, and one that is malformed costs itself only.
 * S2 A list has at most 50 pages and 1,000 tools.
 * S3 A request that is stopped, or gets no answer in time, is cancelled at the server, too.
 * S4 A server asks a person, or the model, only through `ask` and `sample`; without them the capability is not announced.
 */
import { Client, type ElicitResult, type PriorDiscovery, type Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Json } from '../../../core/schema/json.ts';
import type { Sampling, SamplingAnswer, SamplingMessage } from './sampling.ts';

export type Era = { kind: 'legacy' } | { kind: 'modern'; discover: Json };

/** A question of a server to a person. */
export type Elicitation = { message: string; schema: Json };
export type ElicitationAnswer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, Json> };

export type SessionOptions = {
  /** What the server spoke before; null when that is not known. */
  prior: Era | null;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Called when the server says that its tools have changed. */
  onToolsChanged?: () => void;
  ask?: (question: Elicitation) => Promise<ElicitationAnswer>;
  /** Throws what the server is answered when it may not. */
  sample?: (request: Sampling) => Promise<SamplingAnswer>;
};

type CallOptions = {
  signal: AbortSignal;
  timeoutMs: number;
  /** Longest time of the call, whatever progress it makes. */
  totalMs: number;
  onProgress?: (text: string) => void;
};

export type Session = {
  era: Era;
  /** How the server calls itself; a claim. */
  server: { name: string; version: string } | null;
  instructions: string | null;
  /** Tools as they came, unchecked. */
  listTools(signal?: AbortSignal): Promise<unknown[]>;
  callTool(name: string, args: Record<string, Json>, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
};

const MOST_PAGES = 50;
const MOST_TOOLS = 1000;
const PROBE_MS = 3000;
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(10_000).optional() });
const Anything = z.looseObject({});

export async function openSession(transport: Transport, options: SessionOptions): Promise<Session> {
  const { prior, timeoutMs, signal } = options;
  const client = createClient(options);
  const leave = (): void => void transport.close().catch(() => undefined); // the library waits for its time limit
  signal?.addEventListener('abort', leave, { once: true });
  try {
    signal?.throwIfAborted();
    await client.connect(transport, {
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      ...(prior === null ? {} : { prior: prior as PriorDiscovery }),
    });
  } catch (error) {
    await transport.close().catch(() => undefined); // the first error is what a person has to know
    throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
  const discover = client.getDiscoverResult();
  return {
    era:
      client.getProtocolEra() === 'modern' && discover !== undefined
        ? { kind: 'modern', discover: discover as Json }
        : { kind: 'legacy' },
    server: client.getServerVersion() ?? null,
    instructions: client.getInstructions() ?? null,
    listTools: (stop) => listTools(client, timeoutMs, stop),
    callTool: (name, args, bounds) => callTool(client, name, args, bounds),
    close: () => client.close(),
  };
}

function createClient({ onToolsChanged, ask, sample }: SessionOptions): Client {
  const client = new Client(
    { name: 'oka', version: '1' },
    {
      capabilities: {
        ...(ask === undefined ? {} : { elicitation: {} }),
        ...(sample === undefined ? {} : { sampling: {} }),
      },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
      ...(onToolsChanged === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, onChanged: () => onToolsChanged() } } }),
    },
  );
  if (ask !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const schema = 'requestedSchema' in params ? (params.requestedSchema as unknown as Json) : null;
      return (await ask({ message: params.message, schema })) as ElicitResult;
    });
  if (sample !== undefined)
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      const { systemPrompt = '', messages, maxTokens } = params;
      const { text, model } = await sample({ system: systemPrompt, messages: messages.map(toText), maxTokens });
      return { role: 'assistant' as const, content: { type: 'text' as const, text }, model, stopReason: 'endTurn' };
    });
  return client;
}

/** Pictures and sounds of a server are not passed on. */
function toText({ role, content }: { role: 'user' | 'assistant'; content: unknown }): SamplingMessage {
  const blocks = (Array.isArray(content) ? content : [content]) as { type?: unknown; text?: unknown }[];
  const texts = blocks.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '(not text)'));
  return { role, text: texts.join('\n') };
}

/** Reads the list page by page, as it comes (S1, S2). */
async function listTools(client: Client, timeoutMs: number, signal?: AbortSignal): Promise<unknown[]> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
    const found = await client.request(request, Page, {
      timeout: timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    tools.push(...found.tools);
    if (tools.length > MOST_TOOLS) throw new Error(`it lists more than ${MOST_TOOLS} tools`);
    cursor = found.nextCursor;
    if (cursor === undefined) return tools;
    if (seen.has(cursor)) throw new Error('its list of tools never ends');
    seen.add(cursor);
  }
  throw new Error(`its list of tools has more than ${MOST_PAGES} pages`);
}

async function callTool(
  client: Client,
  name: string,
  args: Record<string, Json>,
  { signal, timeoutMs, totalMs, onProgress }: CallOptions,
): Promise<unknown> {
  return client.request({ method: 'tools/call', params: { name, arguments: args } }, Anything, {
    signal,
    timeout: Math.min(timeoutMs, totalMs),
    resetTimeoutOnProgress: true,
    maxTotalTimeout: totalMs,
    onprogress: ({ message, progress, total }) =>
      onProgress?.(message ?? (total === undefined ? String(progress) : `${progress} of ${total}`)),
  });
}
