/** A field that holds a JSON Schema, of the part that json-schema.ts knows. */
import { JsonValue } from './json.ts';
import { findSchemaProblem } from './json-schema.ts';

export const SchemaField = JsonValue.superRefine((schema, context) => {
  const problem = findSchemaProblem(schema);
  if (problem !== null) context.addIssue(problem);
});
