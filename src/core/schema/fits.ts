/**
 * Owns: a fast check whether a value already matches a schema, so that full validation runs only for values that do not.
 * True is certain: the schema would return the value unchanged. False means nothing.
 */
import type { z } from 'zod';

type Inspected = (value: unknown) => boolean;
type Definition = Partial<Limit> & {
  type: string;
  checks?: readonly { _zod: { def: Limit } }[];
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  entries?: Record<string, unknown>;
  values?: readonly unknown[];
  innerType?: z.ZodType;
  element?: z.ZodType;
  options?: readonly z.ZodType[];
  fn?: Inspected;
};
type Limit = {
  check: string;
  format?: string;
  pattern?: RegExp;
  maximum?: number;
  minimum?: number;
  value?: number;
  inclusive?: boolean;
};

const never: Inspected = () => false;

export function fitCheck(schema: z.ZodType): Inspected {
  const definition = schema._zod.def as unknown as Definition;
  const own = definition.format === undefined ? [] : [definition as Limit]; // z.int() is a number and a check in one
  const limits = [...own, ...(definition.checks ?? []).map(({ _zod }) => _zod.def)].map(limitOf);
  const kind = kindOf(definition);
  if (limits.length === 0) return kind;
  return (value) => {
    if (!kind(value)) return false;
    for (const limit of limits) if (!limit(value)) return false;
    return true;
  };
}

/** Anything this file does not know is left to the schema. */
function kindOf(definition: Definition): Inspected {
  const { type, innerType, element, options, entries, values, fn } = definition;
  if (type === 'string' || type === 'boolean') return (value) => typeof value === type;
  if (type === 'number') return (value) => typeof value === 'number' && Number.isFinite(value);
  if (type === 'enum') return oneOf(Object.values(entries ?? {}));
  if (type === 'literal') return oneOf(values ?? []);
  if (type === 'custom' && fn !== undefined) return fn;
  if (type === 'object') return objectOf(definition);
  if (type === 'array' && element !== undefined) return listOf(fitCheck(element));
  if (type === 'union' && options !== undefined) return anyOf(options.map(fitCheck));
  if (innerType === undefined) return never;
  const inner = fitCheck(innerType);
  if (type === 'nullable') return (value) => value === null || inner(value);
  return type === 'optional' || type === 'default' ? inner : never;
}

const oneOf =
  (values: readonly unknown[]): Inspected =>
  (value) =>
    values.includes(value);

const anyOf =
  (looks: readonly Inspected[]): Inspected =>
  (value) =>
    looks.some((look) => look(value));

const listOf =
  (look: Inspected): Inspected =>
  (value) =>
    Array.isArray(value) && value.every(look);

/** Every field is known and matches, and only optional ones are missing. */
function objectOf({ shape = {}, catchall }: Definition): Inspected {
  if (catchall?._zod.def.type !== 'never') return never;
  const looks = new Map(
    Object.entries(shape).map(([name, field]) => {
      const isNeeded = field._zod.def.type !== 'optional';
      return [name, { fits: fitCheck(field), isNeeded }];
    }),
  );
  const needed = looks.values().reduce((count, { isNeeded }) => count + (isNeeded ? 1 : 0), 0);
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
    const fields = value as Record<string, unknown>;
    let missing = needed;
    for (const name in fields) {
      const look = looks.get(name);
      if (look === undefined || !look.fits(fields[name])) return false;
      if (look.isNeeded) missing -= 1;
    }
    return missing === 0;
  };
}

function limitOf({ check, format, pattern, maximum, minimum, value: bound, inclusive }: Limit): Inspected {
  switch (check) {
    case 'string_format':
      return pattern === undefined || pattern.global || pattern.sticky
        ? never
        : (value) => pattern.test(value as string);
    case 'max_length':
      return (value) => (value as string).length <= (maximum ?? -1);
    case 'min_length':
      return (value) => (value as string).length >= (minimum ?? Number.POSITIVE_INFINITY);
    case 'number_format':
      return format === 'safeint' ? Number.isSafeInteger : never;
    case 'greater_than':
      return (value) => (inclusive === true ? (value as number) >= Number(bound) : (value as number) > Number(bound));
    case 'less_than':
      return (value) => (inclusive === true ? (value as number) <= Number(bound) : (value as number) < Number(bound));
    default:
      return never;
  }
}
