import { describe, expect, it } from 'vitest';
import { findMismatch, findSchemaProblem } from '../../../src/core/schema/json-schema.ts';
import type { Json } from '../../../src/core/schema/json.ts';

const nested = (levels: number): Json => (levels === 0 ? { type: 'string' } : { items: nested(levels - 1) });

describe('a schema that a model wrote', () => {
  it.each<[string, Json]>([
    ['$ref', { $ref: 'https://schemas.invalid/a.json' }],
    ['$ref', { properties: { a: { $ref: '#' } } }],
    ['$id', { $id: 'a' }],
    ['$async', { $async: true }],
    ['format', { format: 'email' }],
    ['uniqueItems', { items: { uniqueItems: true } }],
    ['constructor', { constructor: {} }],
    ['__proto__', JSON.parse('{"__proto__":{"type":"string"}}') as Json],
  ])('is refused for a keyword that is not supported: %s', (name, schema) => {
    expect(findSchemaProblem(schema)).toContain(`.${name} in the schema is not supported`);
  });

  it.each<[string, Json]>([
    ['a pattern with a back reference', { pattern: String.raw`(a)\1` }],
    ['a pattern that is too large', { pattern: 'a{900}'.repeat(10) }],
    ['a negative length', { minLength: -1 }],
    ['a schema that is true', { items: true }],
  ])('is refused for %s', (_, schema) => {
    expect(findSchemaProblem(schema)).not.toBeNull();
  });

  it('finds a field by its own name only', () => {
    expect(findMismatch({ required: ['constructor'] }, {})).toBe('$.constructor is missing');
    expect(findMismatch({ properties: { toString: { type: 'string' } } }, {})).toBeNull();
    expect(findMismatch({ additionalProperties: false, properties: {} }, { toString: 1 })).toContain('toString');
  });

  it('judges a pattern that would backtrack without end, a wide schema and a large document', () => {
    expect(findMismatch({ pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`)).toContain('does not match');
    const wide = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: 'string', minLength: 1 }]),
    );
    expect(findSchemaProblem({ properties: wide })).toBeNull();
    expect(findMismatch({ properties: wide }, { p4999: '' })).toContain('$.p4999 is too short');
    const rows: Json = Array.from({ length: 200_000 }, (_, i) => ({ n: i }));
    expect(findMismatch({ items: { properties: { n: { maximum: 199_998 } } } }, rows)).toContain(
      '$[199999].n is above',
    );
  });

  it('is read to the depth that JSON may have here', () => {
    expect(findSchemaProblem(nested(90))).toBeNull();
    expect(findMismatch(nested(2) as never, [[1]])).toBe('$[0][0] is not string: it is 1');
  });
});
