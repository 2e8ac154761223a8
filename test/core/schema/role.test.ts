import { describe, expect, it } from 'vitest';
import * as roles from '../../../src/core/schema/role.ts';

const schemas = Object.entries(roles).flatMap(([name, each]) =>
  typeof each === 'object' ? [[name, each] as const] : [],
);

describe('what models answer with', () => {
  it.each(schemas)('%s says what it is and what every field of it is', (_, schema) => {
    expect(schema.description).toBeTruthy();
    expect([...silent(roles.leanSchemaOf(schema), '')]).toEqual([]);
  });

  it.each(schemas)('%s is told to a model without bounds and without anything else it need not know', (_, schema) => {
    const text = JSON.stringify(roles.leanSchemaOf(schema));
    expect(text).not.toMatch(/"(?:\$schema|maxLength|minItems|default|additionalProperties)":|"pattern":"/);
  });

  it('a field may have the name of a keyword', () => {
    const { properties } = roles.leanSchemaOf(roles.Claim) as { properties: Record<string, unknown> };
    expect(Object.keys(properties)).toEqual(['criterion', 'holds', 'evidence', 'quote']);
  });
});

function* silent(node: unknown, path: string): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties = {} } = node as { properties?: Record<string, { description?: string }> };
  for (const [name, { description }] of Object.entries(properties)) if (!description) yield `${path}.${name}`;
  for (const [key, value] of Object.entries(node)) yield* silent(value, `${path}/${key}`);
}
