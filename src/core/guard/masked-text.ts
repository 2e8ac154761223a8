/** Owns: recognising the marks that redaction puts in place of a secret, such as [redacted:api-key]. */
import type { Json } from '../schema/json.ts';

const MARK = /\[redacted:[^\]\n]{1,120}\]/;

/** The first mark in a text; null if there is none. */
export function findMark(text: string): string | null {
  return text.includes('[redacted:') ? (MARK.exec(text)?.[0] ?? null) : null;
}

/** The first mark in any string or key of a value; null if there is none. */
export function findMarkIn(value: Json): string | null {
  for (const text of stringsIn(value)) {
    const mark = findMark(text);
    if (mark !== null) return mark;
  }
  return null;
}

/** Every string and every key of a value. */
export function* stringsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      yield key;
      yield* stringsIn(item);
    }
}
