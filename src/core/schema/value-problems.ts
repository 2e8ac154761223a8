/** What is wrong with a value that does not match its schema, and what would be possible. */
import { z } from 'zod';

/** One sentence that names every place; null when the value matches. */
export function describeMismatch(schema: z.ZodType, value: unknown): string | null {
  const checked = schema.safeParse(value);
  if (checked.success) return null;
  return [...checked.error.issues.map(describeIssue), ...possibleFields(schema)].join('; ');
}

function describeIssue({ path, message }: { path: PropertyKey[]; message: string }): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** The fields there are, so that whoever wrote the value can correct it at once. */
function possibleFields(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries<z.ZodType>(schema.shape);
  const names = fields.map(([name, field]) => (field.safeParse(undefined).success ? `${name} (optional)` : name));
  return [names.length === 0 ? 'it has no fields' : `its fields are ${names.join(', ')}`];
}
