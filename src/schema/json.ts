import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const DEEPEST = 200;

/** True when JSON.parse(JSON.stringify(value)) gives the same value back. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth >= DEEPEST) return false;
  if (Array.isArray(value)) return !hasHoles(value) && value.every((item) => isJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJson(item, depth + 1));
}

function hasHoles(items: readonly unknown[]): boolean {
  for (let index = 0; index < items.length; index += 1) if (!(index in items)) return true;
  return false;
}

export const JsonValue = z.custom<Json>((value) => isJson(value), 'must be plain JSON');
