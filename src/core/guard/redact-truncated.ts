/**
 * Owns: redacting truncated values. The output of a tool may end in the middle of a value, or lack its middle; the rest
 * of the value is removed too, unless it is so short that it reveals nothing.
 */
import type { Redact } from '../schema/ports.ts';
import { fold } from './redact-fold.ts';
import { FEWEST_UNITS, type Needle, needlesOf } from './redact-forms.ts';
import { type KnownValue, redactKnown } from './redact-known.ts';

type Whole = { name: string; units: readonly number[] };

/** Shorter texts are never truncated. */
const LEAST_CUT = 256;
/** A part of a value has at most twice 32 units, and an escape of a unit has at most six characters. */
const LONGEST = 400;
/** The value as text, and as bytes, since artifacts are searched as bytes. */
const GAP = /\n\[(?:…|\u00e2\u0080\u00a6) \d+ bytes left out (?:…|\u00e2\u0080\u00a6)\]\n/g;

export function redactCut(values: readonly KnownValue[]): Redact {
  const whole = redactKnown(values);
  const needles = values.flatMap(({ name, value }) => needlesOf(name, value)).map(wholeOf);
  return (text) => {
    const clean = whole(text);
    if (clean.length < LEAST_CUT || needles.length === 0) return clean;
    let done = 0;
    const parts: string[] = [];
    for (const gap of clean.matchAll(GAP)) {
      parts.push(withoutEnds(clean.slice(done, gap.index), done > 0, needles), gap[0]);
      done = gap.index + gap[0].length;
    }
    return parts.join('') + withoutEnds(clean.slice(done), done > 0, needles);
  };
}

function withoutEnds(text: string, isCutInFront: boolean, needles: readonly Whole[]): string {
  const head = isCutInFront ? headOf(text, needles) : null;
  const rest = head === null ? text : text.slice(head.to);
  const tail = tailOf(rest, needles);
  const kept = tail === null ? rest : `${rest.slice(0, tail.from)}[redacted:${tail.name}]`;
  return head === null ? kept : `[redacted:${head.name}]${kept}`;
}

/** The longest part of a value that the text ends with. */
function tailOf(text: string, needles: readonly Whole[]): { from: number; name: string } | null {
  const offset = Math.max(0, text.length - LONGEST);
  const { units, starts } = fold(text.slice(offset));
  let best: { length: number; name: string } = { length: 0, name: '' };
  for (const { name, units: needle } of needles)
    for (let length = Math.min(needle.length - 1, units.length); length >= leastOf(needle); length -= 1)
      if (length > best.length && agree(units, units.length - length, needle, 0, length)) best = { length, name };
  return best.length === 0 ? null : { from: offset + (starts[units.length - best.length] ?? 0), name: best.name };
}

/** The longest part of a value that the text begins with. */
function headOf(text: string, needles: readonly Whole[]): { to: number; name: string } | null {
  const { units, ends } = fold(text.slice(0, LONGEST));
  let best: { length: number; name: string } = { length: 0, name: '' };
  for (const { name, units: needle } of needles)
    for (let length = Math.min(needle.length - 1, units.length); length >= leastOf(needle); length -= 1)
      if (length > best.length && agree(units, 0, needle, needle.length - length, length)) best = { length, name };
  return best.length === 0 ? null : { to: ends[best.length - 1] ?? 0, name: best.name };
}

function agree(units: Uint16Array, at: number, needle: readonly number[], from: number, length: number): boolean {
  for (let index = 0; index < length; index += 1) if (units[at + index] !== needle[from + index]) return false;
  return true;
}

const leastOf = (needle: readonly number[]): number => Math.max(FEWEST_UNITS, Math.ceil(needle.length / 3));

function wholeOf({ name, before, core, behind }: Needle): Whole {
  return { name, units: [...before, ...core, ...behind] };
}
