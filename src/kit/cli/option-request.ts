/** A request from the options of a command. What its schema refuses is the mistake of whoever typed it. */
import { OkaError } from '../../core/schema/errors.ts';

type Issue = { path: readonly PropertyKey[]; message: string };
type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };

export function parseRequest<T>(schema: { safeParse: (given: unknown) => Parsed<T> }, given: object): T {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new OkaError('usage', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not valid'}`, {
    fix: 'See the help of the command: --help',
  });
}
