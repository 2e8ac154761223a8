import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { schemaCatalog } from '../../../src/kit/house/schema-catalog.ts';
import { jsonSchemaOf } from '../../../src/core/schema/catalog.ts';
import { eventTypes } from '../../../src/core/schema/event.ts';

type JsonSchema = { [key: string]: unknown; description?: string; required?: string[] };

const catalog = await schemaCatalog();
const names = Object.keys(catalog);

describe('the catalog', () => {
  it('contains the concepts of rooms beside those that belong to no room alone', () => {
    expect(names.filter((name) => !name.startsWith('event:'))).toEqual([
      'accounts',
      'agent',
      'channels',
      'config',
      'context-view',
      'decision',
      'episode',
      'event',
      'fact',
      'frame',
      'graph',
      'graph-schedule',
      'intake',
      'live',
      'mcp',
      'message',
      'model',
      'node-context',
      'policy',
      'procedure',
      'run',
      'task-file',
      'tool',
      'tree-node',
      'wait',
    ]);
  });

  it('contains every event type under its own name', () => {
    expect(names).toEqual(expect.arrayContaining(eventTypes.map((type) => `event:${type}`)));
  });

  it.each(Object.entries(catalog))('says what %s and every field in it is', (name, schema) => {
    expect([...undescribed(schema, name)]).toEqual([]);
  });
});

describe('jsonSchemaOf', () => {
  it.each(Object.entries(catalog))('gives a JSON Schema for %s that is plain JSON and says what it is', (_, schema) => {
    const made = jsonSchemaOf(schema) as JsonSchema;
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    expect(made['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(made.description).toBe(schema.description);
  });

  it.each(Object.entries(catalog))('carries the description of every field of %s', (name, schema) => {
    expect([...silentProperties(jsonSchemaOf(schema), name)]).toEqual([]);
  });

  it('requires nothing of the settings: every one has a default', () => {
    const made = jsonSchemaOf(catalog['config'] as z.ZodType) as JsonSchema;
    expect(made).not.toHaveProperty('required');
    expect(made).toHaveProperty('properties.ledger.properties.reserve_kb.default', 64);
    expect(catalog['config']?.safeParse({}).success).toBe(true);
  });

  it('requires of an event what a caller has to pass, not what has a default', () => {
    const made = jsonSchemaOf(catalog['event:run.started'] as z.ZodType) as JsonSchema;
    expect(made.required).toEqual(['title', 'graph']);
  });
});

type Definition = {
  type: string;
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  element?: z.ZodType;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
};

const leaves = ['string', 'number', 'boolean', 'literal', 'template_literal', 'enum', 'custom'];
const walked = [...leaves, 'object', 'array', 'record', 'union', 'optional', 'nullable', 'default', 'prefault'];

/** Paths to what no description explains: the schema itself, and the fields of every object in it. */
function* undescribed(schema: z.ZodType, path: string, seen = new Set<z.ZodType>()): Generator<string> {
  if (!isDescribed(schema)) yield path;
  yield* undescribedFields(schema, path, seen);
}

/** A schema may contain itself: each is walked once. */
function* undescribedFields(schema: z.ZodType, path: string, seen: Set<z.ZodType>): Generator<string> {
  if (seen.has(schema)) return;
  seen.add(schema);
  const { type, shape = {}, innerType, element, keyType, valueType, options = [] } = definitionOf(schema);
  if (!walked.includes(type)) yield `${path}: this test cannot look into a schema of type ${type} yet`;
  for (const [name, field] of Object.entries(shape)) yield* undescribed(field, `${path}.${name}`, seen);
  for (const inner of [innerType, element, keyType, valueType]) if (inner) yield* undescribedFields(inner, path, seen);
  for (const [index, option] of options.entries()) yield* undescribedFields(option, `${path}|${index}`, seen);
}

/** A description may come from inside optional, default, nullable and array. */
function isDescribed(schema: z.ZodType): boolean {
  if (schema.description !== undefined && schema.description.length > 0) return true;
  const { innerType, element } = definitionOf(schema);
  const inner = innerType ?? element;
  return inner !== undefined && isDescribed(inner);
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def;
}

function* silentProperties(node: unknown, path: string): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties = {} } = node as { properties?: Record<string, JsonSchema> };
  for (const [name, property] of Object.entries(properties)) if (!hasWords(property)) yield `${path}.${name}`;
  for (const [key, value] of Object.entries(node))
    if (key !== 'default') yield* silentProperties(value, `${path}/${key}`);
}

function hasWords(property: JsonSchema): boolean {
  const inside = (property['anyOf'] as JsonSchema[] | undefined)?.[0] ?? (property['items'] as JsonSchema | undefined);
  return property.description !== undefined || inside?.description !== undefined;
}
