/** Owns: the forms in which a value may come to light, folded, and cut into what is looked for. */
import { fold } from './redact-fold.ts';

/**
 * What is looked for. The first and last units are kept apart: an escape around the value may have swallowed them. `soft`
 * units of base64 beyond them hold some bits of the value.
 */
export type Needle = {
  name: string;
  core: Uint16Array;
  before: Uint16Array;
  behind: Uint16Array;
  soft: { before: number; behind: number };
};

/** Fewest units by which a value can be found without taking half of all text for it. */
export const FEWEST_UNITS = 6;

/** A long value is looked for piece by piece: a part of it is no less secret. */
const PIECE = 32;
const SPARED = 4;

type Form = { text: string; before?: number; behind?: number };

export function needlesOf(name: string, value: string): Needle[] {
  const known = new Set<string>();
  return formsOf(value.toWellFormed()).flatMap((form) => {
    const { units } = fold(form.text);
    const key = units.join();
    if (units.length < FEWEST_UNITS || known.has(key)) return [];
    known.add(key);
    return piecesOf(name, units, form);
  });
}

/** How much of a value is left to look for. */
export function unitsOf(value: string): number {
  return fold(value).units.length;
}

/** Folding covers JSON and URLs of any kind; the rest is spelled out. */
function formsOf(value: string): Form[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const ascii = escaped.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const plain = [
    value,
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll('%20', '+'),
    encodeURIComponent(escaped),
    Array.from(value).toReversed().join(''),
  ];
  const asBytes = plain.map((text) => Buffer.from(text).toString('latin1'));
  const sources = new Set([value, escaped, ascii, encodeURIComponent(value)]);
  return [
    ...[...plain, ...asBytes].flatMap((text) => [{ text }, ...swallowed(text)]),
    ...Array.from(sources).flatMap((text) => bytesForms(Buffer.from(text))),
  ];
}

/** A backslash or a percent sign in front makes an escape of what a value begins with; a short one has no unit to spare. */
function swallowed(text: string): Form[] {
  const { units } = fold(text);
  if (spareOf(units) > 1) return [];
  return ['\\', '%']
    .map((sign) => ({ text: `${sign}${text}` }))
    .filter((form) => !fold(form.text).units.join().endsWith(units.join()));
}

function spareOf(units: Uint16Array): number {
  return Math.max(0, Math.min(SPARED, Math.floor((units.length - FEWEST_UNITS) / 2)));
}

function bytesForms(bytes: Buffer): Form[] {
  return [{ text: bytes.toString('hex') }, ...[0, 1, 2].map((offset) => base64At(bytes, offset))];
}

/** The characters that depend on these bytes alone, when `offset` other bytes stand in front of them in their group. */
function base64At(bytes: Buffer, offset: number): Form {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const text = whole.toString('base64').replaceAll('=', '');
  const behind = whole.length % 3 === 0 ? 0 : 1;
  return { text: text.slice([0, 2, 3][offset], text.length - behind), before: offset === 0 ? 0 : 1, behind };
}

function piecesOf(name: string, units: Uint16Array, { before = 0, behind = 0 }: Form): Needle[] {
  const count = Math.max(1, Math.floor(units.length / PIECE));
  return Array.from({ length: count }, (_, index) => {
    const first = index === 0;
    const last = index === count - 1;
    const piece = units.subarray(index * PIECE, last ? units.length : (index + 1) * PIECE);
    const spare = spareOf(piece);
    const from = first ? spare : 0;
    const to = piece.length - (last ? spare : 0);
    return {
      name,
      core: piece.subarray(from, to),
      before: piece.subarray(0, from),
      behind: piece.subarray(to),
      soft: { before: first ? before : 0, behind: last ? behind : 0 },
    };
  });
}
