/** Owns: comparing JSON values with ==, !=, >=, <=, > and <. */
import { isSameJson, type Json } from '../../core/schema/json.ts';

export type Comparison = '==' | '!=' | '>=' | '<=' | '>' | '<';

const WORDS: Readonly<Record<string, Comparison>> = { '=': '==', 'at least': '>=', 'at most': '<=' };

export function parseComparison(sign: string): Comparison {
  return WORDS[sign.toLowerCase()] ?? (sign as Comparison);
}

/** Values of different types differ and have no order; a missing value never compares. */
export function compareJson(left: Json | undefined, is: Comparison, right: Json): boolean {
  if (left === undefined) return false;
  switch (is) {
    case '==':
      return isSameJson(left, right);
    case '!=':
      return !isSameJson(left, right);
    case '>=':
      return isInOrder(left, right, (a, b) => a >= b);
    case '<=':
      return isInOrder(left, right, (a, b) => a <= b);
    case '>':
      return isInOrder(left, right, (a, b) => a > b);
    case '<':
      return isInOrder(left, right, (a, b) => a < b);
  }
}

function isInOrder(left: Json, right: Json, holds: (a: number | string, b: number | string) => boolean): boolean {
  if (typeof left === 'number' && typeof right === 'number') return holds(left, right);
  return typeof left === 'string' && typeof right === 'string' && holds(left, right);
}
