/**
 * Owns: an event as projections see it, and careful reading of data that any version of oka may have written.
 *
 * T1 Reading never throws: a copy that stops at an event it does not understand would be no copy.
 * T2 What is read is well-formed text, as every stored string has to be; JSON may contain half a surrogate pair.
 */
import type { Pen, WireEvent } from '../wire.ts';

export type Data = { readonly [name: string]: unknown };
export type Place = { run: number; own: number };

/** `data` is null when it cannot be read: sealed, withheld, or not an object. */
export type ProjectedEvent = WireEvent & { ledger: string; pen: Pen; data: Data | null; place: Place };

export function toProjectedEvent(of: { ledger: string; pen: Pen }, event: WireEvent): ProjectedEvent {
  const { seq, cause, body } = event;
  const place = of.pen === 'run' ? { run: seq, own: 0 } : { run: cause ?? 0, own: seq };
  return { ...event, ...of, place, data: body.kind === 'plain' ? objectIn(body.text) : null };
}

export function isAfter(one: Place, other: Place | null): boolean {
  if (other === null || one.run !== other.run) return other === null || one.run > other.run;
  return one.own > other.own;
}

export const isSamePlace = (one: Place, other: Place | null): boolean =>
  other !== null && one.run === other.run && one.own === other.own;

export function textIn(data: Data | null, name: string, most = 20_000): string | null {
  const value = data?.[name];
  return typeof value === 'string' ? wellFormed(value.slice(0, most)) : null;
}

export function numberIn(data: Data | null, name: string): number | null {
  const value = data?.[name];
  return typeof value === 'number' ? value : null;
}

export function textsIn(data: Data | null, name: string): string[] {
  return listIn(data, name).flatMap((value) => (typeof value === 'string' ? [wellFormed(value)] : []));
}

export function objectsIn(data: Data | null, name: string): Data[] {
  return listIn(data, name).flatMap((value) => (isObject(value) ? [value] : []));
}

export function objectAt(data: Data | null, name: string): Data | null {
  const value = data?.[name];
  return isObject(value) ? value : null;
}

function listIn(data: Data | null, name: string): unknown[] {
  const value = data?.[name];
  return Array.isArray(value) ? value : [];
}

function objectIn(text: string): Data | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}
