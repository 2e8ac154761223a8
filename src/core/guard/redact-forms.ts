/** Owns: the encoded forms in which a value may appear, folded and split into search needles. */
import { fold } from './redact-fold.ts';

/**
 * A search needle. The first and last units are separate, since an escape around the value may have consumed them. `soft`
 * units of base64 next to them contain some bits of the value.
 */
export type Needle = {
  name: string;
  core: Uint16Array;
  before: Uint16Array;
  behind: Uint16Array;
  soft: { before: number; behind: number };
};

/** A value with fewer units than this would match too much ordinary text. */
export const FEWEST_UNITS = 6;

/** A long value is searched for in parts, since a part of it is just as secret. */
const PIECE = 32;
const SPARED = 4;

type Form = { text: string; before?: number; behind?: number };

/** The forms that tools usually write; what is left of a truncated value is searched for in these. */
export function needlesOf(name: string, value: string): Needle[] {
  return needlesFrom(name, formsOf(value.toWellFormed()));
}

/** All forms, also those that somebody chooses in order to hide a value. */
export function allNeedlesOf(name: string, value: string): Needle[] {
  const whole = value.toWellFormed();
  return needlesFrom(name, [...formsOf(whole), ...rareFormsOf(Buffer.from(whole))]);
}

function needlesFrom(name: string, forms: readonly Form[]): Needle[] {
  const known = new Set<string>();
  return forms.flatMap((form) => {
    const { units } = fold(form.text);
    const key = units.join();
    if (units.length < FEWEST_UNITS || known.has(key)) return [];
    known.add(key);
    return piecesOf(name, units, form);
  });
}

/** How many units a value has after folding. */
export function unitsOf(value: string): number {
  return fold(value).units.length;
}

/** All forms of a value that folding does not cover; it covers escapes of JSON and URLs. */
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
    ...[...plain, ...asBytes].flatMap((text) => [{ text }, ...withoutFirstUnit(text)]),
    ...Array.from(sources).flatMap((text) => bytesForms(Buffer.from(text))),
  ];
}

/** A backslash or a percent sign before a value turns its first characters into an escape; a short value cannot lose a unit. */
function withoutFirstUnit(text: string): Form[] {
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

function rareFormsOf(bytes: Buffer): Form[] {
  return [
    ...digitForms(bytes),
    ...spacedForms(bytes.toString('utf8')),
    ...wideForms(bytes.toString('utf8')),
    ...[0, 1, 2, 3, 4].map((offset) => base32At(bytes, offset)),
    ...Object.values(BASE85).flatMap((digits) => [0, 1, 2, 3].map((offset) => base85At(bytes, offset, digits))),
    ...base64Twice(bytes),
  ];
}

/** Characters with a sign between them; what folding drops, such as blanks and commas, needs no form of its own. */
function spacedForms(value: string): Form[] {
  return ['-', '_', '.', '|', '/', ':'].map((between) => ({ text: Array.from(value).join(between) }));
}

/** In full width, and as UTF-16 of either order: its bytes in hex and base64. */
function wideForms(value: string): Form[] {
  const wide = value.replaceAll(/[!-~]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfe_e0));
  const little = Buffer.from(value, 'utf16le');
  return [{ text: wide }, ...[little, Buffer.from(little).swap16()].flatMap((bytes) => bytesForms(bytes))];
}

const BASE85 = {
  ascii85: Array.from({ length: 85 }, (_, digit) => String.fromCharCode(33 + digit)).join(''),
  rfc1924: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~',
  z85: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#',
};

/** The base85 characters of the groups that consist of these bytes alone, if `offset` other bytes precede them. */
function base85At(bytes: Buffer, offset: number, digits: string): Form {
  const skipped = (4 - offset) % 4;
  const groups = Math.max(0, Math.floor((bytes.length - skipped) / 4));
  let text = '';
  for (let group = 0; group < groups; group += 1) {
    const word = bytes.readUInt32BE(skipped + group * 4);
    for (let power = 4; power >= 0; power -= 1) text += digits[Math.floor(word / 85 ** power) % 85] ?? '';
  }
  return { text };
}

/** Bytes as digits with something between or before them; white space, commas, quotes and backslashes are folded away. */
function digitForms(bytes: Buffer): Form[] {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const octal = Array.from(bytes, (byte) => byte.toString(8).padStart(3, '0'));
  return [
    ...[':', '-'].map((between) => ({ text: hex.join(between) })),
    ...['0x', '='].map((before) => ({ text: hex.map((digits) => before + digits).join('') })),
    ...['', '-', '.', ':', '\\'].map((between) => ({ text: Array.from(bytes).join(between) })),
    { text: octal.join('') },
    { text: octal.map((digits) => `0${digits}`).join('') },
  ];
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The base32 characters that depend on these bytes alone, if `offset` other bytes precede them in their group. */
function base32At(bytes: Buffer, offset: number): Form {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const skipped = (5 - ((offset * 8) % 5)) % 5;
  const groups = bits.slice(skipped).match(/.{5}/g) ?? [];
  const isPartial = (bits.length - skipped) % 5 !== 0;
  return {
    text: groups.map((group) => BASE32[Number.parseInt(group, 2)]).join(''),
    before: skipped === 0 ? 0 : 1,
    behind: isPartial ? 1 : 0,
  };
}

/** Base64 of base64, in either alphabet; also if lines of 76 characters were not broken in between. */
function base64Twice(bytes: Buffer): Form[] {
  const once = [0, 1, 2].map((offset) => base64At(bytes, offset).text);
  const inner = new Set([...once, ...once.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]);
  return [...inner].flatMap((text) => [0, 1, 2].map((offset) => base64At(Buffer.from(text), offset)));
}

/** The base64 characters that depend on these bytes alone, if `offset` other bytes precede them in their group. */
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
