import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson } from '../../../src/core/schema/json.ts';

class Point {
  x = 1;
}

describe('isJson', () => {
  it('holds for every value that JSON.parse can give', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(isJson(value)).toBe(true);
      }),
    );
  });

  it('holds only for values that come back the same', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withSparseArray: true, withBigInt: true }), (value) => {
        fc.pre(isJson(value) && !holdsNegativeZero(value));
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
      }),
    );
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', Buffer.from('x')],
    ['an instance of a class', new Point()],
    ['an error', new Error('x')],
    ['undefined in an object', { a: undefined }],
    ['undefined in an array', [undefined]],
    ['an array with a hole', Object.assign([1], { length: 2 })],
    ['toJSON', { toJSON: () => 1 }],
    ['something wrong deep inside', { a: [{ b: [{ c: new Date(0) }] }] }],
  ])('refuses %s', (_, value) => expect(isJson(value)).toBe(false));

  it('refuses a circle instead of following it for ever', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(isJson(circle)).toBe(false);
  });

  it('accepts objects without a prototype and own names such as __proto__', () => {
    expect(isJson(Object.assign(Object.create(null), { a: 1 }))).toBe(true);
    expect(isJson(JSON.parse('{"__proto__": {"a": 1}}'))).toBe(true);
  });
});

function holdsNegativeZero(value: unknown): boolean {
  if (Object.is(value, -0)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => holdsNegativeZero(item));
}
