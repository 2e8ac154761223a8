/**
 * Owns: recording and replaying traffic with models, one file per request.
 *
 * 1. Files are written atomically, and named by the hash of the redacted request without its address: they contain no key.
 * 2. Recording replaces earlier takes of a request and adds one each time it is repeated; replaying returns them in that
 *    order, and then the last one again and again.
 * 3. Replaying never uses the network.
 * 4. Of a picture a recording has the hash, not the bytes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { assertRegularFile, lstatIfPresent, makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Redact } from '../../core/schema/ports.ts';
import { ModelError, problem } from './model-errors.ts';
import type { Fetch } from '../../core/schema/model-provider.ts';

const Take = z.strictObject({
  status: z.int().min(200).max(599).describe('HTTP status.'),
  headers: z.record(z.string(), z.string()).describe('The headers that are needed for replay.'),
  body: z.string().describe('Body of the response.'),
});
type Take = z.infer<typeof Take>;

const Cassette = z.strictObject({
  path: z.string().describe('Path of the request.'),
  request: z.string().describe('Body of the request.'),
  takes: z.array(Take).min(1).describe('Its responses, in order.'),
});
type Cassette = z.infer<typeof Cassette>;

const RECORDED_HEADERS = ['content-type', 'retry-after', 'retry-after-ms'];

type Deck = { folder: string; redact: Redact };
type RecordedRequest = { path: string; request: string; file: string };

/** Passes requests on and saves complete responses; one that breaks off is not saved. */
export function recordingFetch(inner: Fetch, deck: Deck): Fetch {
  const started = new Set<string>();
  return async (input, init) => {
    const request = describeRequest(input, init, deck);
    const response = await inner(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const saveTake = (body: string): void => {
      const before = started.has(request.file) ? (loadCassette(request.file)?.takes ?? []) : [];
      started.add(request.file);
      saveCassette(request, [...before, takeOf(status, headers, deck.redact(body))], deck);
    };
    return new Response(response.body.pipeThrough(collectText(saveTake)), { status, statusText, headers });
  };
}

export function replayingFetch(deck: Deck): Fetch {
  const played = new Map<string, number>();
  return async (input, init) => {
    const request = describeRequest(input, init, deck);
    const takes = loadCassette(request.file)?.takes;
    const count = played.get(request.file) ?? 0;
    played.set(request.file, count + 1);
    const take = takes?.[Math.min(count, takes.length - 1)];
    if (take === undefined)
      throw new ModelError(problem('no-recording', `this request was not recorded; its file would be ${request.file}`));
    return new Response(take.body, { status: take.status, headers: take.headers });
  };
}

function describeRequest(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
  { folder, redact }: Deck,
): RecordedRequest {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const body = redact(withPictureHashes(typeof init?.body === 'string' ? init.body : ''));
  const path = pathname.replace(/^.*(?=\/(?:chat\/completions|messages)$)/, '');
  const key = createHash('sha256').update(`${path}\n${body}`).digest('hex');
  return { path, request: body, file: join(folder, `${key}.json`) };
}

/** In JSON a quotation mark inside of a text is escaped, so these forms are fields of the request and never quoted text. */
const PICTURE = /("(?:url":"data:image\/\w+;base64,|media_type":"image\/\w+","data":"))([A-Za-z0-9+/=]+)"/g;

function withPictureHashes(body: string): string {
  return body.replaceAll(PICTURE, (_, start: string, data: string) => {
    const hash = createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex');
    return `${start}sha256:${hash}"`;
  });
}

/** Calls back with the complete text once the stream has ended. */
function collectText(whole: (text: string) => void): TransformStream<Uint8Array, Uint8Array> {
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
  const recorded = RECORDED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { status, headers: Object.fromEntries(recorded), body };
}

function saveCassette({ path, request, file }: RecordedRequest, takes: Take[], { folder }: Deck): void {
  makeFolder(folder);
  const cassette: Cassette = { path, request, takes };
  replaceFile(file, `${JSON.stringify(cassette, null, 1)}\n`, { mode: 0o600 });
}

function loadCassette(file: string): Cassette | null {
  assertRegularFile(file);
  if (lstatIfPresent(file) === undefined) return null;
  try {
    return Cassette.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new OkaError('invalid-file', `${file} is not a recording: ${messageOf(error).slice(0, 300)}`, {
      fix: 'Delete it and record it again with OKA_CASSETTE=record.',
      cause: error,
    });
  }
}
