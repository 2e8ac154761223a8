/** Which field of a form fits a JSON Schema, and what it starts with. Pure. */
import type { Json } from '../../../../core/schema/json.ts';
import type { JsonSchema } from './schema-help.ts';

type Field =
  | { kind: 'text'; isLong: boolean }
  | { kind: 'number'; isWhole: boolean }
  | { kind: 'boolean' }
  | { kind: 'choice'; options: readonly Json[] }
  | { kind: 'list'; items: JsonSchema }
  | { kind: 'object'; properties: readonly { name: string; schema: JsonSchema; isRequired: boolean }[] }
  /** What no other field fits is written as JSON. */
  | { kind: 'json' };

const LONG = 300;

export function fieldFor(schema: JsonSchema): Field {
  const { type, enum: options, properties, items, required } = schema;
  if (Array.isArray(options)) return { kind: 'choice', options };
  switch (typeof type === 'string' ? type : '') {
    case 'string':
      return { kind: 'text', isLong: typeof schema['maxLength'] === 'number' && schema['maxLength'] > LONG };
    case 'number':
    case 'integer':
      return { kind: 'number', isWhole: type === 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return isSchema(items) ? { kind: 'list', items } : { kind: 'json' };
    case 'object': {
      if (!isSchema(properties)) return { kind: 'json' };
      const names = Array.isArray(required) ? required : [];
      const fields = Object.entries(properties).flatMap(([name, each]) =>
        isSchema(each) ? [{ name, schema: each, isRequired: names.includes(name) }] : [],
      );
      return fields.length === 0 ? { kind: 'json' } : { kind: 'object', properties: fields };
    }
    default:
      return { kind: 'json' };
  }
}

/** Undefined for a field that may be left out. */
export function initialValue(schema: JsonSchema, isRequired = true): Json | undefined {
  if (schema['default'] !== undefined) return schema['default'];
  if (!isRequired) return undefined;
  const field = fieldFor(schema);
  switch (field.kind) {
    case 'text':
      return '';
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return field.options[0] ?? null;
    case 'list':
      return [];
    case 'json':
      return {};
    case 'object':
      return Object.fromEntries(
        field.properties.flatMap(({ name, schema: each, isRequired: isNeeded }) => {
          const value = initialValue(each, isNeeded);
          return value === undefined ? [] : [[name, value]];
        }),
      );
  }
}

const isSchema = (value: Json | undefined): value is { [key: string]: Json } =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
