/**
 * A real HTTP server on loopback that speaks the chat-completions and the messages format, whole and streamed. What it
 * answers is a function of the request, so that a test can script a model, its failures and its silence.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../src/core/schema/json.ts';
import * as anthropic from './wire-server-anthropic.ts';
import * as openai from './wire-server-openai.ts';
import { piecesOf, say, type WireReply, type WireRequest } from './wire-server-reply.ts';

export type WireServer = {
  /** http://127.0.0.1:port. Base of the chat-completions format: `${url}/v1`. */
  url: string;
  requests: WireRequest[];
  /** Resolves when the request of this number has come in. */
  asked(number: number): Promise<WireRequest>;
  /** How many of its connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type WireScript = (request: WireRequest) => WireReply | Promise<WireReply>;

const FORMATS = { openai, anthropic };

export async function openWireServer(script: WireScript, port = 0, host = '127.0.0.1'): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const waiting = new Map<number, (request: WireRequest) => void>();
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await read(incoming, requests.length + 1);
      if (request === null) return send(response, 404, 'application/json', '{"error":{"message":"no such path"}}');
      requests.push(request);
      waiting.get(request.number)?.(request);
      await answer(response, request, await script(request));
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((done) => server.listen(port, host, done));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    asked: (number) => {
      const come = requests[number - 1];
      return come === undefined ? new Promise((done) => waiting.set(number, done)) : Promise.resolve(come);
    },
    connections: () => new Promise((done) => server.getConnections((_, count) => done(count))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Answers in this order, the last one again and again. */
export function inOrder(...replies: WireReply[]): WireScript {
  return ({ number }) => replies[Math.min(number, replies.length) - 1] ?? say('');
}

async function read(incoming: IncomingMessage, number: number): Promise<WireRequest | null> {
  const path = incoming.url ?? '';
  const format = path.endsWith('/chat/completions') ? 'openai' : path.endsWith('/messages') ? 'anthropic' : null;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  if (format === null || incoming.method !== 'POST') return null;
  const body = JSON.parse(Buffer.concat(chunks).toString()) as WireRequest['body'];
  const { model, stream, tools } = body;
  return {
    number,
    format,
    path,
    headers: incoming.headers,
    body,
    model: typeof model === 'string' ? model : '',
    stream: stream === true,
    tools: Array.isArray(tools) ? tools.map(toolName) : [],
    text: [body['system'] ?? null, body['messages'] ?? null].flatMap(textsIn).join('\n'),
  };
}

async function answer(response: ServerResponse, request: WireRequest, reply: WireReply): Promise<void> {
  const format = FORMATS[request.format];
  switch (reply.do) {
    case 'answer':
      if (!request.stream)
        return send(response, 200, 'application/json', JSON.stringify(format.wholeAnswer(request, reply)));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of format.streamedAnswer(request, reply)) await writeReply(response, event);
      return void response.end();
    case 'fail':
      return send(response, reply.status, 'application/json', JSON.stringify(format.errorBody(reply)), reply.headers);
    case 'raw':
      return send(response, reply.status, reply.media, reply.body, reply.headers);
    case 'stall':
      return begin(response, request, reply.first);
    case 'cut':
      await begin(response, request, reply.first);
      return void response.destroy();
  }
}

/** The start of an answer and nothing after it. */
async function begin(response: ServerResponse, request: WireRequest, first: string): Promise<void> {
  if (first === '') return;
  const answer = { do: 'answer', text: first, calls: [] } as const;
  const whole = request.stream
    ? FORMATS[request.format]
        .streamedAnswer(request, { ...answer, calls: [], finish: 'none' })
        .slice(0, 2 + piecesOf(first).length)
    : [JSON.stringify(FORMATS[request.format].wholeAnswer(request, { ...answer, calls: [] })).slice(0, -20)];
  response.writeHead(200, { 'content-type': request.stream ? 'text/event-stream' : 'application/json' });
  for (const part of whole) await writeReply(response, part);
}

function writeReply(response: ServerResponse, text: string): Promise<void> {
  return new Promise((done) => response.write(text, () => done()));
}

function send(response: ServerResponse, status: number, media: string, body: string, headers = {}): void {
  response.writeHead(status, { 'content-type': media, ...headers });
  response.end(body);
}

function toolName(tool: Json): string {
  const { name, function: inner } = tool as { name?: string; function?: { name: string } };
  return name ?? inner?.name ?? '';
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value === null || typeof value !== 'object') return [];
  return textsIn(value['content'] ?? value['text'] ?? null);
}
