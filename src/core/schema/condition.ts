/**
 * A typed condition: a value, an operator and another value, or several conditions combined. Values of different types
 * are not compared: that is a problem of the graph or an error of the run (core/engine/evaluate-condition.ts), never "false".
 */
import { z } from 'zod';
import { type Json, JsonValue } from './json.ts';

export const Operator = z
  .enum([
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'contains',
    'not_contains',
    'starts_with',
    'ends_with',
    'matches',
    'in',
    'exists',
    'is_empty',
  ])
  .describe(
    'How the two values are compared. eq, ne: any two values of one type, or null. gt, gte, lt, lte: two numbers or two texts. contains, not_contains: a part of a text or an entry of a list. matches: a regular expression. in: an entry of the list at the right. exists and is_empty have no right side.',
  );
export type Operator = z.infer<typeof Operator>;

export const TextComparison = z
  .enum(['exact', 'folded'])
  .describe(
    'How texts are compared: folded is without case and surrounding space. Default: folded for what a person answers in free text, else exact.',
  );

const comparison = {
  field: z
    .string()
    .max(500)
    .optional()
    .describe('The value to compare: a field of the input, such as price or items.0.name. Default: the whole input.'),
  left: JsonValue.optional().describe('The value to compare, usually a template such as {{fetch.price}}.'),
  operator: Operator.optional(),
  right: JsonValue.optional().describe('What it is compared with; may be a template.'),
  text: TextComparison.optional(),
};

export type Condition = {
  field?: string | undefined;
  left?: Json | undefined;
  operator?: Operator | undefined;
  right?: Json | undefined;
  text?: 'exact' | 'folded' | undefined;
  all?: Condition[] | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
};

const ALL = 'True if each of these is; they are checked in order, up to the first that is false.';
const ANY = 'True if one of these is; they are checked in order, up to the first that is true.';
const NOT = 'True if this is false.';

export const Condition: z.ZodType<Condition, Condition> = z
  .strictObject({
    ...comparison,
    get all() {
      return z.array(Condition).max(100).optional().describe(ALL);
    },
    get any() {
      return z.array(Condition).max(100).optional().describe(ANY);
    },
    get not() {
      return Condition.optional().describe(NOT);
    },
  })
  .describe('A comparison (operator, with field or left, and right), or all, any or not over conditions.');

/** The fields of a node that has a condition. */
export const conditionFields = {
  ...comparison,
  all: z.array(Condition).max(100).optional().describe(ALL),
  any: z.array(Condition).max(100).optional().describe(ANY),
  not: Condition.optional().describe(NOT),
};
