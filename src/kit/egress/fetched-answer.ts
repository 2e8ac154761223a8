/**
 * Owns: passing on what a registry answers to a step that only fetches, and learning from it what may be asked for next.
 *
 * N1 What an answer names is known before its end has been passed on, so the request that follows from it is admitted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { forwardedHeaders } from './headers.ts';
import type { Limits } from './limits.ts';
import { meter } from './meter.ts';
import type { PackageScope } from './package-scope.ts';

export type Fetch = { scope: PackageScope; path: string };

/** An answer that is larger is passed on all the same, and nothing is learnt from it. */
const MOST_LEARNT = 100_000_000;

export async function relayFetched(
  answer: IncomingMessage,
  response: ServerResponse,
  limits: Limits,
  { scope, path }: Fetch,
): Promise<void> {
  const status = answer.statusCode ?? 502;
  if (status < 500) scope.answered(path, status < 400);
  scope.learn(answer.headers.location ?? '');
  response.sendDate = false;
  response.writeHead(status, forwardedHeaders(answer.rawHeaders));
  const isArchive = /\.(?:tgz|tar\.gz|zip|tar\.bz2)$/.test(path);
  const learning = isArchive || status >= 400 ? [] : [retainEnd((bytes) => learnFrom(bytes, answer, path, scope))];
  await pipeline([answer, meter(limits.downBytes), ...learning, response]);
}

/** Passes everything on but the last chunk, which waits until `learn` has seen it all. */
function retainEnd(learn: (bytes: Buffer) => void): Transform {
  const chunks: Buffer[] = [];
  let size = 0;
  let last: Buffer | null = null;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= MOST_LEARNT) chunks.push(chunk);
      else chunks.length = 0;
      const before = last;
      last = chunk;
      done(null, before ?? undefined);
    },
    flush(done) {
      learn(Buffer.concat(chunks));
      done(null, last ?? undefined);
    },
  });
}

function learnFrom(bytes: Buffer, { headers }: IncomingMessage, path: string, scope: PackageScope): void {
  if (path.endsWith('.whl')) return scope.learn(wheelRequirements(bytes));
  const text = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
  scope.learn(path.endsWith('.metadata') ? requirementsIn(text) : text);
}

/** A description may contain anything; only what a package requires is learnt. */
const requirementsIn = (metadata: string): string => (metadata.match(/^Requires-Dist:.*$/gm) ?? []).join('\n');

const DIRECTORY_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const DEFLATED = 8;

/** Reads the METADATA of a wheel, a zip file, by the directory at its end; empty if it cannot be read. */
function wheelRequirements(zip: Buffer): string {
  try {
    const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END_OF_DIRECTORY).buffer));
    for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
      const nameLength = zip.readUInt16LE(at + 28);
      const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
      if (/^[^/]+\.dist-info\/METADATA$/.test(name)) return requirementsIn(readEntry(zip, at));
      at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    }
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof Error && 'code' in error)) throw error;
  }
  return '';
}

function readEntry(zip: Buffer, entry: number): string {
  const [method, size, header] = [
    zip.readUInt16LE(entry + 10),
    zip.readUInt32LE(entry + 20),
    zip.readUInt32LE(entry + 42),
  ];
  const from = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const bytes = zip.subarray(from, from + size);
  return (method === DEFLATED ? inflateRawSync(bytes, { maxOutputLength: MOST_LEARNT }) : bytes).toString();
}
