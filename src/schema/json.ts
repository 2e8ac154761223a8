import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const DEEPEST = 200;

/** True when JSON.parse(JSON.stringify(value)) gives the same value back. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth >= DEEPEST) return false;
  if (Array.isArray(value)) return isList(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) if (!isJson((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

/** A hole reads as undefined, which is not JSON. */
function isList(items: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < items.length; index += 1) if (!isJson(items[index], depth + 1)) return false;
  return true;
}

export const JsonValue = z.custom<Json>((value) => isJson(value), 'must be plain JSON');

/** A copy that shares nothing with the original and has no undefined fields: what JSON would give back. */
export function copied<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copied(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    const own = typeof field === 'object' ? copied(field) : field;
    if (key === '__proto__') put(copy, key, own);
    else copy[key] = own;
  }
  return copy as T;
}

/** Sets a field, also one with a name that would set the prototype. */
export function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

/** About how many characters a value takes as JSON text, without making the text. */
export function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || typeof value !== 'object') return 5;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  let sum = 2;
  for (const key in value) sum += key.length + 4 + sizeOf(value[key] ?? null);
  return sum;
}
