/** The forms in which a secret may come to light, each with a function that reads it back. */

export type Form = { name: string; encode: (value: string) => string };

const bytes = (value: string): Buffer => Buffer.from(value);
const base64At = (value: string, offset: number): string =>
  Buffer.concat([Buffer.alloc(offset, 'x'), bytes(value), Buffer.from('tail')]).toString('base64');
const lines = (text: string, width: number): string => text.replaceAll(new RegExp(`.{${width}}`, 'gsu'), '$&\n');
const percent = (value: string): string =>
  Array.from(bytes(value), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const unicode = (value: string): string =>
  value
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const digits = (value: string, base: number, width: number, before: string, between: string): string =>
  Array.from(bytes(value), (byte) => before + byte.toString(base).padStart(width, '0')).join(between);
const entities = (value: string, base: number, before: string): string =>
  value
    .split('')
    .map((unit) => `${before}${unit.charCodeAt(0).toString(base)};`)
    .join('');
const base32 = (all: Buffer): string => {
  const bits = Array.from(all, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('');
};

export const forms: readonly Form[] = [
  { name: 'plain', encode: (value) => value },
  { name: 'JSON', encode: (value) => JSON.stringify(value) },
  { name: 'JSON in JSON', encode: (value) => JSON.stringify(JSON.stringify({ a: value })) },
  { name: 'JSON with \\u escapes', encode: unicode },
  { name: 'URL-encoded', encode: encodeURIComponent },
  {
    name: 'URL-encoded in lower case',
    encode: (value) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
  },
  { name: 'form-encoded', encode: (value) => new URLSearchParams({ a: value }).toString().slice(2) },
  { name: 'percent-encoded throughout', encode: percent },
  { name: 'URL-encoded twice', encode: (value) => encodeURIComponent(encodeURIComponent(value)) },
  { name: 'hex', encode: (value) => bytes(value).toString('hex') },
  { name: 'HEX', encode: (value) => bytes(value).toString('hex').toUpperCase() },
  { name: 'base64', encode: (value) => bytes(value).toString('base64') },
  { name: 'base64 without padding', encode: (value) => bytes(value).toString('base64').replaceAll('=', '') },
  { name: 'base64 behind one byte', encode: (value) => base64At(value, 1) },
  { name: 'base64 behind two bytes', encode: (value) => base64At(value, 2) },
  { name: 'base64url', encode: (value) => bytes(value).toString('base64url') },
  {
    name: 'base64url behind one byte',
    encode: (value) => Buffer.from(base64At(value, 1), 'base64').toString('base64url'),
  },
  {
    name: 'base64url behind two bytes',
    encode: (value) => Buffer.from(base64At(value, 2), 'base64').toString('base64url'),
  },
  { name: 'base64 in lines', encode: (value) => lines(base64At(value, 1), 20) },
  { name: 'reversed', encode: (value) => Array.from(value).toReversed().join('') },
  { name: 'in lines of 64', encode: (value) => lines(`${'x'.repeat(50)} ${value}`, 64) },
  { name: 'in lines of 7', encode: (value) => lines(value, 7) },
  { name: 'in CRLF lines', encode: (value) => lines(value, 5).replaceAll('\n', '\r\n  ') },
  { name: 'letter by letter', encode: (value) => Array.from(value).join(' ') },
  // Somebody chooses the following in order to hide a value.
  { name: 'in colours', encode: (value) => Array.from(value).join('\u001b[31m') },
  { name: 'in colours, as JSON', encode: (value) => JSON.stringify(Array.from(value).join('\u001b[0;1m')) },
  { name: 'with zero-width characters', encode: (value) => Array.from(value).join('\u200b\u2060\ufe0f') },
  { name: 'base32', encode: (value) => base32(bytes(value)) },
  { name: 'base32 behind three bytes', encode: (value) => base32(Buffer.concat([Buffer.from('abc'), bytes(value)])) },
  { name: 'base64 twice', encode: (value) => Buffer.from(bytes(value).toString('base64')).toString('base64') },
  {
    name: 'base64 twice behind a byte',
    encode: (value) => Buffer.from(`x${base64At(value, 2)}`).toString('base64'),
  },
  { name: 'octal escapes', encode: (value) => digits(value, 8, 3, '\\', '') },
  { name: 'octal dump', encode: (value) => digits(value, 8, 3, '', ' ') },
  { name: 'hex with colons', encode: (value) => digits(value, 16, 2, '', ':') },
  { name: 'hex with dashes', encode: (value) => digits(value, 16, 2, '', '-').toUpperCase() },
  { name: 'hex with 0x', encode: (value) => digits(value, 16, 2, '0x', ', ') },
  { name: 'hex with spaces', encode: (value) => digits(value, 16, 2, '', ' ') },
  { name: 'decimal entities', encode: (value) => entities(value, 10, '&#') },
  { name: 'hex entities', encode: (value) => entities(value, 16, '&#x') },
  { name: 'entities, encoded again', encode: (value) => entities(value, 10, '&amp;#') },
  {
    name: 'HTML',
    encode: (value) =>
      value.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replaceAll(/[aeiou]/g, '$&&shy;'),
  },
];

/** True when the value, or most of it, can be recovered from the text by one of the methods a reader would try. */
export function shows(text: string, value: string): boolean {
  const needles = needlesOf(value);
  return readings(text).some((reading) => needles.some((needle) => reading.includes(needle)));
}

/** Written apart from the redactor on purpose: an independent reading of the same text. */
function readings(text: string): string[] {
  const visible = withoutInvisible(text);
  const unescaped = withoutEntities(visible).replaceAll(
    /\\+(?:u([0-9a-fA-F]{4})|([0-3][0-7]{2})|([nrtbf])|)/g,
    (_all, code: string | undefined, octal: string | undefined) =>
      code === undefined ? toCharacter(octal, 8) : toCharacter(code, 16),
  );
  const decoded = withoutInvisible(unescaped).replaceAll(/%(?:25)*([0-9a-fA-F]{2})/g, (_all, code: string) =>
    toCharacter(code, 16),
  );
  const octal = visible.replaceAll(/(?:\b[0-3][0-7]{2} ){3,}[0-3][0-7]{2}\b/g, (dump) =>
    dump
      .split(' ')
      .map((each) => toCharacter(each, 8))
      .join(''),
  );
  const digits = visible.replaceAll(/0x|[\s:,"-]/gi, '').toLowerCase();
  const utf8 = [decoded, octal].map((each) => Buffer.from(each, 'latin1').toString());
  return [text, visible, unescaped, decoded, octal, ...utf8, digits].flatMap((each) => [
    each,
    each.replaceAll(/[\s"',`]+/g, ''),
  ]);
}

const toCharacter = (code: string | undefined, base: number): string =>
  code === undefined ? '' : String.fromCharCode(Number.parseInt(code, base));

/** Without colours and characters of no width, also where JSON has written them as escapes. */
function withoutInvisible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colours of terminals begin with a control character
  return text.replaceAll(/(?:\u001b|\\+u001b)\[[\d;]*m|\u200b|\u2060|\ufe0f|\u00ad/gi, '');
}

function withoutEntities(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&shy;', '')
    .replaceAll(/&#x([0-9a-f]+);/gi, (_all, code: string) => toCharacter(code, 16))
    .replaceAll(/&#(\d+);/g, (_all, code: string) => toCharacter(code, 10));
}

function needlesOf(value: string): string[] {
  const tight = (text: string): string => text.replaceAll(/[\s"',`\\]+/g, '');
  const inner = [0, 1, 2].map((offset) => base64At(value, offset).slice(4, -8));
  const twice = inner.flatMap((text) => [0, 1, 2].map((offset) => base64At(text, offset).slice(4, -8)));
  const base64 = [...inner, ...twice];
  const base32s = [0, 1, 2, 3, 4].map((offset) =>
    base32(Buffer.concat([Buffer.alloc(offset, 'x'), bytes(value)])).slice(Math.ceil((offset * 8) / 5), -2),
  );
  return [
    value,
    tight(value),
    ...readings(value).map(tight),
    tight(Array.from(value).toReversed().join('')),
    value.replaceAll(' ', '+'),
    bytes(value).toString('hex'),
    bytes(value).toString('hex').toUpperCase(),
    ...base32s,
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ].filter((needle) => needle.length >= 4);
}

/** Twenty secrets that are hard to find again: quotes, line ends, other alphabets, percent signs, and generated ones. */
export const hardSecrets = [
  'zK9-wQ2_vX7.pL4+mN8',
  'correct horse battery staple',
  'Tr0ub4dor&3 "quoted" \\back\\',
  'pässwörd-mit-ümläuten',
  '密码不能让别人看见的',
  'deadbeefcafef00d1234',
  'multi\nline\nsecret value',
  'user:p@ss/word?x=1&y=2',
  '%41%20percent+plus',
  'tab\tand,comma;semi',
  ...Array.from({ length: 10 }, (_, index) => `Generated${index}/${'aZ3+'.repeat(4 + index)}q${index * 7919}`),
];
