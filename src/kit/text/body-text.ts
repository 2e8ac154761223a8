/**
 * Owns: how a body of any size is represented in an event: short text as it is, the rest as an artifact with its head and tail.
 *
 * B1 Text is cut after the store has redacted it: half of a secret has no shape that could be found.
 * B2 Bytes that are not UTF-8 are stored as they are and only counted in the event.
 */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import { ArtifactRef } from '../../core/schema/tool.ts';
import type { Captured } from '../sandbox/launch.ts';

const INLINE_BYTES = 8192;

export type BodyText = { text: string; binary: boolean; artifact?: ArtifactRef };

type BodyOptions = {
  artifacts?: ArtifactStore | undefined;
  /** Longest text that is stored in the event itself. */
  inline?: number;
  name?: string;
  media?: string;
};

export async function toBodyText(body: Captured, telling: BodyOptions = {}): Promise<BodyText> {
  const { inline = INLINE_BYTES, artifacts } = telling;
  const bytes = joinParts(body);
  const binary = !isText(bytes);
  if (!binary && body.omitted === 0 && bytes.length <= inline) return { text: bytes.toString(), binary };
  const artifact = await artifacts?.put(bytes, {
    media: telling.media ?? (binary ? 'application/octet-stream' : 'text/plain'),
    ...(telling.name === undefined ? {} : { name: telling.name.slice(0, 255) }),
  });
  const stored = artifact === undefined ? bytes : ((await artifacts?.get(artifact)) ?? bytes);
  const text = binary
    ? `[${bytes.length + body.omitted} bytes that are not text]`
    : shortenBody(stored, inline, body.omitted);
  return artifact === undefined ? { text, binary } : { text, binary, artifact };
}

/** The artifacts of an outcome: the bodies that were stored. */
export function artifactsOf(...bodies: readonly BodyText[]): { artifacts?: ArtifactRef[] } {
  const artifacts = bodies.flatMap(({ artifact }) => artifact ?? []);
  return artifacts.length > 0 ? { artifacts } : {};
}

export const asCaptured = (bytes: Buffer): Captured => ({ head: bytes, tail: Buffer.alloc(0), omitted: 0 });

export const isText = (bytes: Uint8Array): boolean => isUtf8(bytes) && !bytes.includes(0);

/** The fields with which an output describes a body. */
export const bodyFields = {
  binary: z.boolean().describe('The bytes are not text and only counted here.'),
  artifact: ArtifactRef.optional().describe('The whole, when it is too long for here or not text.'),
};

function joinParts({ head, tail, omitted }: Captured): Buffer {
  if (omitted === 0) return Buffer.concat([head, tail]);
  const parts = [head.subarray(0, endOfText(head)), tail.subarray(startOfText(tail))] as const;
  if (!parts.every(isText)) return Buffer.concat([head, tail]);
  return Buffer.concat([parts[0], Buffer.from(omissionMark(omitted)), parts[1]]);
}

function shortenBody(bytes: Buffer, longest: number, omitted: number): string {
  if (bytes.length <= longest) return bytes.toString();
  const half = Math.floor(longest / 2);
  const left = bytes.length - 2 * half + omitted;
  return `${decodeWholeCharacters(bytes.subarray(0, half))}${omissionMark(left)}${decodeWholeCharacters(bytes.subarray(-half))}`;
}

const omissionMark = (bytes: number): string => `\n[… ${bytes} bytes left out …]\n`;

/** Text of bytes that may begin or end inside a character. */
function decodeWholeCharacters(bytes: Buffer): string {
  return bytes.subarray(startOfText(bytes), endOfText(bytes)).toString();
}

/** Where the first whole character begins. */
export function startOfText(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isInside(bytes[start])) start += 1;
  return start;
}

/** Where the last whole character ends. */
export function endOfText(bytes: Uint8Array): number {
  let last = bytes.length - 1;
  while (last > bytes.length - 4 && isInside(bytes[last])) last -= 1;
  const lead = bytes[last] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return last + needed <= bytes.length ? bytes.length : last;
}

export const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
