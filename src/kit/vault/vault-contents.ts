/** Owns: what a vault may contain and how it changes. Pure: a change returns new contents. */
import { OkaError } from '../../core/schema/errors.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import { LONGEST_SECRET, type Secret, type VaultContents } from '../../core/schema/secret.ts';
import { FEWEST_UNITS, unitsOf } from '../../core/guard/redact-forms.ts';
import { redactKnown, type KnownValue } from '../../core/guard/redact-known.ts';

/** A shorter number could as well be a size, a time or a port. */
const FEWEST_DIGITS = 12;
/** More letters than this in words are a passphrase. */
const MOST_LETTERS = 15;

type Rules = Pick<Secret, 'tools' | 'hosts' | 'commands' | 'header'>;

/** Sets a secret's value; the old value is retained for redaction, and the old rules unless new ones are given. */
export function withValue(
  contents: VaultContents,
  name: string,
  value: string,
  now: string,
  rules?: Rules,
): VaultContents {
  assertName(name);
  assertValue(name, value, contents);
  const before = Object.hasOwn(contents.secrets, name) ? contents.secrets[name] : undefined;
  const secret: Secret = {
    value,
    version: (before?.version ?? 0) + 1,
    tools: rules?.tools ?? before?.tools ?? [],
    hosts: rules?.hosts ?? before?.hosts ?? [],
    ...commandsOf(rules ?? before),
    ...headerOf(rules ?? before),
    set_at: now,
    old: before === undefined ? [] : previousValues(before),
  };
  return { ...contents, secrets: { ...contents.secrets, [name]: secret } };
}

function commandsOf(rules: Pick<Secret, 'commands'> | undefined): Pick<Secret, 'commands'> {
  return rules?.commands === undefined || rules.commands.length === 0 ? {} : { commands: rules.commands };
}

function headerOf(rules: Pick<Secret, 'header'> | undefined): Pick<Secret, 'header'> {
  return rules?.header === undefined ? {} : { header: rules.header };
}

/** Removes a secret from use. Its values are still redacted, unless they are to be forgotten. */
export function withoutSecret(contents: VaultContents, name: string, forget: boolean): VaultContents {
  const before = requireSecret(contents, name);
  const { [name]: _gone, ...rest } = contents.secrets;
  if (forget) return { ...contents, secrets: rest };
  const { commands: _, header: _header, ...others } = before;
  const secret: Secret = { ...others, value: null, tools: [], hosts: [], old: previousValues(before) };
  return { ...contents, secrets: { ...rest, [name]: secret } };
}

/** The secret with this name; throws if there is none. */
export function requireSecret(contents: VaultContents | null, name: string): Secret {
  const secret = contents !== null && Object.hasOwn(contents.secrets, name) ? contents.secrets[name] : undefined;
  if (secret !== undefined && secret.value !== null) return secret;
  throw new OkaError('refused', `there is no secret "${name}"`, { fix: 'List them: oka secrets list' });
}

/** Every current and former value, for redaction. */
export function valuesIn(contents: VaultContents | null): KnownValue[] {
  return Object.entries(contents?.secrets ?? {}).flatMap(([name, { value, old }]) =>
    [...(value === null ? [] : [value]), ...old.map((each) => each.value)].map((each) => ({ name, value: each })),
  );
}

function previousValues({ value, version, old }: Secret): Secret['old'] {
  return value === null ? old : [...old, { version, value }];
}

function assertName(name: string): void {
  if (!ID_SHAPE.test(name))
    throw new OkaError('usage', `"${name}" cannot be the name of a secret`, {
      fix: 'Use letters, digits, dot, dash and underscore, such as GITHUB_TOKEN.',
    });
}

function assertValue(name: string, value: string, { secrets }: VaultContents): void {
  const problem = problemOfValue(name, value, Object.keys(secrets));
  if (problem !== null) throw new OkaError('usage', `${name} was not set: ${problem.why}`, { fix: problem.fix });
}

/** Why a value cannot be a secret, mostly since redaction would remove too much; null if it can. Never quotes it. */
export function problemOfValue(
  name: string,
  value: string,
  names: readonly string[],
): { why: string; fix: string } | null {
  const refuse = (why: string, fix: string): { why: string; fix: string } => ({ why, fix });
  if (value.length > LONGEST_SECRET)
    return refuse(`it is longer than ${LONGEST_SECRET} characters`, 'Store large files elsewhere.');
  if (value.includes('\0')) return refuse('there is a NUL character in it', 'Only text can be stored.');
  if (unitsOf(value) < FEWEST_UNITS)
    return refuse(
      `it has fewer than ${FEWEST_UNITS} characters (white space, quotes and commas not counted); every text with these few characters would be redacted`,
      'Use a longer one.',
    );
  if (/^\d+$/.test(value) && value.length < FEWEST_DIGITS)
    return refuse(
      `it is a number of fewer than ${FEWEST_DIGITS} digits; equal sizes and times would be redacted too`,
      'Use a longer one, or one with letters.',
    );
  if (isOrdinaryText(value))
    return refuse(
      'it is an ordinary word, name or date; it would be redacted wherever it occurs in your texts',
      'Use a value that nobody writes by chance: one with letters and digits mixed, or a longer one.',
    );
  const takeOut = redactKnown([{ name: 'x', value }]);
  const named = [name, ...names].find((each) => takeOut(each) !== each);
  return named === undefined ? null : refuse(`it is part of the name ${named}`, 'Use another name, or another value.');
}

/**
 * Whether people write this without meaning a secret: one word such as production, a host name, a path, a date, a version.
 * Words joined by dashes or spaces may be a passphrase.
 */
function isOrdinaryText(value: string): boolean {
  if (/^[\d\s.:/_-]+$/.test(value)) return value.replaceAll(/\D/g, '').length < FEWEST_DIGITS;
  const parts = value.trim().split(/[./:]+/);
  const letters = value.replaceAll(/\P{L}/gu, '').length;
  return letters <= MOST_LETTERS && parts.every((part) => part === '' || isWord(part) || /^\d{1,5}$/.test(part));
}

/** A pronounceable word in the case that words have. */
function isWord(part: string): boolean {
  if (!/^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u.test(part)) return false;
  const plain = part.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  if (plain.length <= 3 || !/^[a-z]+$/.test(plain)) return true;
  return /[aeiouy]/.test(plain) && !/[^aeiouy]{5}/.test(plain);
}
