import type { Json } from './json.ts';

/** A field of a JSON object; null when there is none, or when the value is not an object. */
export function jsonField(value: Json, name: string): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value[name] ?? null) : null;
}

/** Whether an object has any field. Cheaper than to look one up by a name that was just made. */
export function hasFields(object: Readonly<Record<string, unknown>>): boolean {
  for (const _ in object) return true;
  return false;
}
