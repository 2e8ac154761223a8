/**
 * Owns: recognising the values of a vault that cannot be opened. While it is open, a fingerprint of every form of every
 * value is computed; later the values are found in a text by these alone.
 *
 * P1 A fingerprint is a hash of the first units of a folded form, under a base that depends on a key.
 * P2 The fingerprint of a value that could be guessed depends on a key that is stored where the key of the vault is: the
 *    home alone does not help to guess it. Other values need no such key, so that a home without it can still be used.
 * P3 JSON stays JSON: each string of it is redacted by itself.
 */
import { createHmac } from 'node:crypto';
import type { Json } from '../schema/json.ts';
import type { Redact } from '../schema/ports.ts';
import { fold } from './redact-fold.ts';
import { allNeedlesOf } from './redact-forms.ts';
import type { KnownValue } from './redact-known.ts';

/** `hash` is that of the first `window` units of a form that has `length` of them. */
type Print = { name: string; window: number; length: number; hash: number };
export type Fingerprints = {
  /** The key of `open`; everybody who reads the home knows it. */
  salt: string;
  open: Print[];
  /** Those that depend on the key elsewhere (P2). */
  keyed: Print[];
};

const WINDOW = 16;
const FEWEST_DISTINCT = 8;
/** A prime below 2^31, so that products can be computed exactly in two steps. */
const PRIME = 2_147_483_647;

export function fingerprintsOf(values: readonly KnownValue[], salt: Buffer, key: Buffer): Fingerprints {
  const prints: Pick<Fingerprints, 'open' | 'keyed'> = { open: [], keyed: [] };
  for (const { name, value } of values) {
    const isGuessable = isWeak(value);
    const base = baseOf(isGuessable ? key : salt);
    for (const { before, core, behind } of allNeedlesOf(name, value)) {
      const units = Uint16Array.of(...before, ...core, ...behind);
      const window = Math.min(WINDOW, units.length);
      const print = { name, window, length: units.length, hash: hashOf(units.subarray(0, window), base) };
      (isGuessable ? prints.keyed : prints.open).push(print);
    }
  }
  return { salt: salt.toString('base64'), ...prints };
}

/** Removes the values that these are the fingerprints of. Without the key those that depend on it are not found. */
export function redactFingerprints({ salt, open, keyed }: Fingerprints, key: Buffer | null): Redact {
  const groups = [
    ...groupByWindow(open, baseOf(Buffer.from(salt, 'base64'))),
    ...(key === null ? [] : groupByWindow(keyed, baseOf(key))),
  ];
  if (groups.length === 0) return (text) => text;
  const redactText = (text: string): string => redactRanges(text, groups);
  return (text) => redactJson(text, redactText) ?? redactText(text);
}

/** Whether all values of this kind are few enough to be tried one after the other. */
function isWeak(value: string): boolean {
  const { units } = fold(value);
  return units.length < WINDOW || new Set(units).size < FEWEST_DISTINCT;
}

type Group = { base: number; window: number; leaving: number; prints: ReadonlyMap<number, Print> };

function groupByWindow(prints: readonly Print[], base: number): Group[] {
  const windows = [...new Set(prints.map(({ window }) => window))];
  return windows.map((window) => ({
    base,
    window,
    leaving: Array.from({ length: window - 1 }).reduce<number>((power) => multiply(power, base), 1),
    prints: new Map(prints.filter((print) => print.window === window).map((print) => [print.hash, print])),
  }));
}

type Range = { from: number; to: number; name: string };

function redactRanges(text: string, groups: readonly Group[]): string {
  const folded = fold(text);
  const ranges = groups.flatMap((group) => findRanges(folded, group)).toSorted((a, b) => a.from - b.from);
  let done = 0;
  let clean = '';
  for (const { from, to, name } of ranges) {
    if (to <= done) continue;
    clean += `${text.slice(done, Math.max(done, from))}${from >= done ? `[redacted:${name}]` : ''}`;
    done = to;
  }
  return clean + text.slice(done);
}

function findRanges({ units, starts, ends }: ReturnType<typeof fold>, group: Group): Range[] {
  const { base, window, leaving, prints } = group;
  const ranges: Range[] = [];
  let hash = 0;
  for (let index = 0; index < units.length; index += 1) {
    const gone = index >= window ? multiply((units[index - window] as number) + 1, leaving) : 0;
    hash = (multiply((hash + PRIME - gone) % PRIME, base) + (units[index] as number) + 1) % PRIME;
    const print = index + 1 >= window ? prints.get(hash) : undefined;
    if (print === undefined) continue;
    const first = index + 1 - window;
    const last = Math.min(first + print.length, units.length) - 1;
    ranges.push({ from: starts[first] as number, to: ends[last] as number, name: print.name });
  }
  return ranges;
}

function hashOf(units: Uint16Array, base: number): number {
  return units.reduce((hash, unit) => (multiply(hash, base) + unit + 1) % PRIME, 0);
}

function multiply(a: number, b: number): number {
  return (((a * (b >>> 16)) % PRIME) * 65_536 + a * (b & 0xffff)) % PRIME;
}

function baseOf(key: Buffer): number {
  return (createHmac('sha256', key).update('oka fingerprints').digest().readUInt32LE() % (PRIME - 70_000)) + 65_600;
}

/** Null if the text is not JSON. */
function redactJson(text: string, redact: Redact): string | null {
  if (!/^[[{"]/.test(text)) return null;
  try {
    const value = JSON.parse(text) as Json;
    const clean = JSON.stringify(mapStrings(value, redact));
    return clean === JSON.stringify(value) ? text : clean;
  } catch {
    return null; // not JSON, or nested too deeply to be treated as JSON
  }
}

function mapStrings(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, redact));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), mapStrings(item, redact)]));
}
