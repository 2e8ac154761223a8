/**
 * Owns: recorded traffic with models, a file per request.
 *
 * 1. A file is whole or not there. It is named after the redacted request, without its address: no key is in it.
 * 2. Recording starts a request anew and adds a take each time it is repeated; playing gives them in that order, the
 *    last one again and again.
 * 3. Playing never goes to the network.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { assertRegularFile, lookAt, makeFolder, replaceFile } from '../ledger/disk.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Redact } from '../schema/ports.ts';
import { ModelError, problem } from './errors.ts';
import type { Fetch } from './sdk.ts';

const Take = z.strictObject({
  status: z.int().min(200).max(599).describe('HTTP status.'),
  headers: z.record(z.string(), z.string()).describe('The headers that matter.'),
  body: z.string().describe('What was answered.'),
});
type Take = z.infer<typeof Take>;

const Cassette = z.strictObject({
  path: z.string().describe('Path of the request.'),
  request: z.string().describe('Body of the request.'),
  takes: z.array(Take).min(1).describe('Its answers, in the order they came.'),
});
type Cassette = z.infer<typeof Cassette>;

const KEPT_HEADERS = ['content-type', 'retry-after', 'retry-after-ms'];

type Deck = { folder: string; redact: Redact };
type Asked = { path: string; request: string; file: string };

/** Lets requests through and keeps what comes back; what breaks off on its way is not kept. */
export function recording(inner: Fetch, deck: Deck): Fetch {
  const begun = new Set<string>();
  return async (input, init) => {
    const asked = askedIn(input, init, deck);
    const response = await inner(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const keep = (body: string): void => {
      const before = begun.has(asked.file) ? (loaded(asked.file)?.takes ?? []) : [];
      begun.add(asked.file);
      store(asked, [...before, takeOf(status, headers, deck.redact(body))], deck);
    };
    return new Response(response.body.pipeThrough(copying(keep)), { status, statusText, headers });
  };
}

export function replaying(deck: Deck): Fetch {
  const played = new Map<string, number>();
  return async (input, init) => {
    const asked = askedIn(input, init, deck);
    const takes = loaded(asked.file)?.takes;
    const count = played.get(asked.file) ?? 0;
    played.set(asked.file, count + 1);
    const take = takes?.[Math.min(count, takes.length - 1)];
    if (take === undefined)
      throw new ModelError(problem('no-recording', `this request was not recorded; it would be ${asked.file}`));
    return new Response(take.body, { status: take.status, headers: take.headers });
  };
}

function askedIn(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1], { folder, redact }: Deck): Asked {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const body = redact(typeof init?.body === 'string' ? init.body : '');
  const path = pathname.replace(/^.*(?=\/(?:chat\/completions|messages)$)/, '');
  const key = createHash('sha256').update(`${path}\n${body}`).digest('hex');
  return { path, request: body, file: join(folder, `${key}.json`) };
}

/** Tells the whole text once all of it has gone through. */
function copying(whole: (text: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
    flush: () => whole(text + decoder.decode()),
  });
}

function takeOf(status: number, headers: Headers, body: string): Take {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(kept), body };
}

function store({ path, request, file }: Asked, takes: Take[], { folder }: Deck): void {
  makeFolder(folder);
  const cassette: Cassette = { path, request, takes };
  replaceFile(file, `${JSON.stringify(cassette, null, 1)}\n`, { mode: 0o600 });
}

function loaded(file: string): Cassette | null {
  assertRegularFile(file);
  if (lookAt(file) === undefined) return null;
  try {
    return Cassette.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new OkaError('invalid-file', `${file} is not a recording: ${messageOf(error).slice(0, 300)}`, {
      fix: 'Delete it and record it again with OKA_CASSETTE=record.',
      cause: error,
    });
  }
}
