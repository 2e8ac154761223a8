/**
 * Owns: redacting secrets in text: known ones by their value, others by their shape. Works on plain text and on JSON
 * alike: neither a shape nor its replacement contains a quote or a backslash, so JSON stays JSON.
 */
import type { Redact } from '../schema/ports.ts';
import { type KnownValue, redactKnown } from './redact-known.ts';

/** Removes the values that are known now, by name, and then everything that has the shape of a secret. */
export function redactorFor(
  values: () => readonly KnownValue[],
  by: (known: readonly KnownValue[]) => Redact = redactKnown,
): Redact {
  let known: readonly KnownValue[] = [];
  let takeOut = by(known);
  return (text) => {
    const now = values();
    if (now !== known) {
      takeOut = by(now);
      known = now;
    }
    return redactShapes(takeOut(text));
  };
}

/** Any character of a JSON string, but neither its closing quote nor half of an escaped one. */
const WITHIN = '(?:[^"\\\\]|\\\\[^"])';

/** Where a token may start: not inside a word, but directly after an escape such as \n in JSON text. */
const EDGE = '(?:(?<![A-Za-z0-9_])|(?<=\\\\[bfnrt]|\\\\u[0-9a-fA-F]{4}))';

/** The word edge is checked after the prefix, since searching for the rare prefix first is fast. */
const token = (prefix: string, rest: string): string => `(?:${prefix})(?<=${EDGE}(?:${prefix}))${rest}`;

const PEM_END = '-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';

/** A text full of -eyJ has a possible start after every dash, so the length of the first part is bounded. */
const JWT_REST = '\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}';

/**
 * Each shape has the grammar and the length that its issuer gives it: what only starts like a key, such as
 * sk-learn-experiments, is an ordinary name.
 */
const SHAPES: readonly (readonly [kind: string, shape: string])[] = [
  [
    'private-key',
    `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:${WITHIN}{0,20000}?${PEM_END}|${WITHIN}{0,20000})`,
  ],
  ['api-key', token('sk-(?:proj|svcacct|admin|None)-', '[A-Za-z0-9_-]{40,}')],
  ['api-key', token('sk-ant-[a-z]{2,10}[0-9]{2}-', '[A-Za-z0-9_-]{80,}')],
  ['api-key', token('sk-or-v1-', '[0-9a-f]{64}')],
  ['api-key', token('sk-', '(?=[A-Za-z]{0,80}[0-9])[A-Za-z0-9]{32,}')],
  ['github-token', token('gh[pousr]_', '[A-Za-z0-9]{36,}')],
  ['github-token', token('github_pat_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{59,}')],
  ['gitlab-token', token('glpat-', '[A-Za-z0-9_-]{20,}')],
  ['aws-key', token('AKIA|ASIA', '[A-Z2-7]{16}(?![A-Za-z0-9_])')],
  ['google-key', token('AIza', '[A-Za-z0-9_-]{35}')],
  ['slack-token', token('xox[abeoprs]-', '(?:[0-9]{1,14}-){1,4}[A-Za-z0-9]{10,}')],
  ['npm-token', token('npm_', '[A-Za-z0-9]{36}')],
  ['stripe-key', token('[rs]k_(?:live|test)_', '[A-Za-z0-9]{24,}')],
  ['age-key', token('AGE-SECRET-KEY-1', '[A-Z0-9]{58}')],
  ['jwt', token('(?<!-)eyJ', `[A-Za-z0-9_-]{8,}${JWT_REST}`)],
  ['jwt', token('eyJ', `[A-Za-z0-9_-]{8,512}${JWT_REST}`)],
];

const ANY = new RegExp(SHAPES.map(([, shape]) => `(${shape})`).join('|'), 'g');

/** True for every text that may contain a shape. Searching for the rarest character of each prefix is three times as fast. */
const LIKELY = /[-_](?<=-----|sk-|glpat-|xox.-|gh[pousr]_|pat_|npm_|[rs]k_|AGE-)|A(?:KIA|SIA|Iza)|J(?<=eyJ)/;

export const redactShapes: Redact = (text) =>
  LIKELY.test(text) ? text.replace(ANY, (...match: unknown[]) => `[redacted:${kindOf(match)}]`) : text;

const KINDS = new Set(SHAPES.map(([kind]) => kind));

/** Names of known values that were taken out of a text; what was taken out by its shape alone is not among them. */
export function redactedNames(text: string): string[] {
  const names = Array.from(text.matchAll(/\[redacted:([^\]\n]{1,120})\]/g), ([, name = '']) => name);
  return [...new Set(names)].filter((name) => !KINDS.has(name));
}

function kindOf(match: readonly unknown[]): string {
  const index = match.slice(1, SHAPES.length + 1).findIndex((group) => group !== undefined);
  return SHAPES[index]?.[0] ?? 'secret';
}
