import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const DEEPEST = 200;

/** Whether JSON.parse(JSON.stringify(value)) returns an equal value. */
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

/** A deep copy without undefined fields: what a round trip through JSON would return. */
export function copyJson<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    const own = typeof field === 'object' ? copyJson(field) : field;
    if (key === '__proto__') setField(copy, key, own);
    else copy[key] = own;
  }
  return copy as T;
}

/** Sets a field, even one whose name would otherwise set the prototype. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
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

/** Whether two values are equal, whatever the order of their fields. */
export function isSameJson(left: Json, right: Json): boolean {
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => {
    const [a, b] = [(left as Record<string, Json>)[key], (right as Record<string, Json>)[key]];
    return a !== undefined && b !== undefined && Object.hasOwn(right, key) && isSameJson(a, b);
  });
}
