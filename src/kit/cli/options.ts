/** Declares the options of a command and reads them into a typed struct: `--dry-run` becomes `options.dryRun`. */
import { OkaError } from '../../core/schema/errors.ts';

export type Given = string | boolean | string[] | undefined;

type Option<T = unknown> = {
  type: 'string' | 'boolean';
  /** The placeholder of the value in the help, such as "FILE". */
  value?: string;
  about: string;
  /** A letter for it, such as o for -o. */
  short?: string;
  /** It may be given more than once. */
  several?: boolean;
  read: (given: Given, name: string) => T;
};

export type Options = Readonly<Record<string, Option>>;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** The struct that a command gets for its declared options. */
export type OptionValues<O> = {
  [Name in keyof O as CamelCase<Name & string>]: O[Name] extends Option<infer T> ? T : never;
};

export function readOptions(declared: Options, given: Readonly<Record<string, Given>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, option]) => [
      name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      option.read(given[name], name),
    ]),
  );
}

export function flag(about: string): Option<boolean> {
  return { type: 'boolean', about, read: (given) => given === true };
}

export function text(value: string, about: string, short?: string): Option<string | undefined> {
  return { type: 'string', value, about, ...(short === undefined ? {} : { short }), read: textGiven };
}

/** An option that may be repeated. */
export function texts(value: string, about: string): Option<readonly string[]> {
  return { type: 'string', value, about, several: true, read: (given) => (Array.isArray(given) ? given : []) };
}

/** An option whose text means something; `parse` throws a usage error where it means nothing. */
export function parsedText<T>(
  value: string,
  about: string,
  parse: (text: string, name: string) => T,
): Option<T | undefined> {
  return {
    type: 'string',
    value,
    about,
    read: (given, name) => {
      const found = textGiven(given);
      return found === undefined ? undefined : parse(found, name);
    },
  };
}

export function number(value: string, about: string): Option<number | undefined> {
  return parsedText(value, about, wholeNumber);
}

export function numberOr(fallback: number, value: string, about: string): Option<number> {
  const option = number(value, about);
  return { ...option, read: (given, name) => option.read(given, name) ?? fallback };
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  value: string,
  about: string,
): Option<Choice | undefined> {
  return parsedText(value, about, (given, name) => {
    const found = choices.find((each) => each === given);
    if (found !== undefined) return found;
    const names = choices.length === 2 ? choices.join(' or ') : choices.join(', ').replace(/, ([^,]*)$/, ' or $1');
    throw new OkaError('usage', `--${name} is ${names}, not "${given}"`);
  });
}

function wholeNumber(given: string, name: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new OkaError('usage', `--${name} takes a whole number, not "${given}"`);
}

const textGiven = (given: Given): string | undefined => (typeof given === 'string' ? given : undefined);
