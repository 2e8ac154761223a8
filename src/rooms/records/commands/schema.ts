import { schemaCatalog } from '../../../kit/house/schema-catalog.ts';
import { jsonSchemaOf } from '../../../core/schema/catalog.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

type Data = { names: string[]; about: Readonly<Record<string, string>> } | { schema: unknown };

export async function run({ operands, rooms }: Call): Promise<Answer<Data>> {
  const known = await schemaCatalog(rooms);
  const names = Object.keys(known);
  const [name] = operands;
  if (name === undefined) return answer({ names, about: descriptionsOf(known) });
  const schema = Object.hasOwn(known, name) ? known[name] : undefined;
  if (schema !== undefined) return answer({ schema: jsonSchemaOf(schema) });
  const guess = nearestWord(name, names);
  throw new OkaError('usage', `there is no schema "${name}"`, {
    fix: guess === null ? 'See: oka schema' : `Did you mean: oka schema ${guess}`,
  });
}

export const jsonLines = (data: Data): unknown[] => ['names' in data ? data.names : data.schema];

export function render(data: Data, terminal: Terminal): string {
  if ('schema' in data) return `${JSON.stringify(data.schema, null, 2)}\n`;
  const columns = [{ text: (name: string) => name }, { text: (name: string) => data.about[name] ?? '', grows: true }];
  return renderColumns(data.names, columns, terminal);
}

function descriptionsOf(known: Awaited<ReturnType<typeof schemaCatalog>>): Record<string, string> {
  return Object.fromEntries(Object.entries(known).map(([name, { description }]) => [name, description ?? '']));
}
