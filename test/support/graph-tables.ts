/** Tables about graphs that are made from the schemas, and the picture of the graph that the documents show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureOf } from '../../src/cli/picture/graph-picture.ts';
import { toSvg } from '../../src/cli/picture/svg.ts';
import { nodeKinds } from '../../src/daemon/room-contributions.ts';
import { commonFields } from '../../src/schema/graph.ts';
import type { Json } from '../../src/schema/json.ts';
import { graphSchemaWith } from '../../src/schema/node-kind.ts';
import { z } from 'zod';

const TOP = join(import.meta.dirname, '../..');
const exampleText = (): string => readFileSync(join(TOP, 'share/graphs/page-watch.json'), 'utf8');

/** The picture of the example, next to the documents that show it. */
export const PICTURE = 'docs/graph.svg';

export function examplePicture(): string {
  return toSvg(pictureOf(JSON.parse(exampleText()) as { [field: string]: Json }));
}

type Schema = { [field: string]: unknown; properties?: Record<string, Schema>; oneOf?: Schema[]; description?: string };

const kinds = await nodeKinds();
const graphFields = propertiesOf(graphSchemaWith(kinds));
const itemsOf = (field: string): Schema => (graphFields[field]?.['items'] ?? {}) as Schema;
const nodes = itemsOf('nodes').oneOf ?? [];
const kindOf = (node: Schema): Schema => node.properties?.['kind'] ?? {};

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

export const graphTables = (table: Table): Readonly<Record<string, () => string>> => {
  const fields = (named: Record<string, Schema>): string =>
    table(
      ['field', 'meaning'],
      Object.entries(named).map(([name, { description = '' }]) => [`\`${name}\``, description.replaceAll('<', '&lt;')]),
    );
  return {
    example: () => `\`\`\`json\n${exampleText()}\`\`\`\n`,
    kinds: () =>
      table(
        ['kind', 'meaning'],
        nodes.map((node) => [`\`${String(kindOf(node)['const'])}\``, kindOf(node).description ?? '']),
      ),
    node: () => fields(propertiesOf(z.object(commonFields))),
    kindFields: () =>
      nodes
        .map((node) => ({ name: String(kindOf(node)['const']), own: ownFields(node) }))
        .filter(({ own }) => Object.keys(own).length > 0)
        .map(({ name, own }) => `\`${name}\`\n\n${fields(own)}`)
        .join('\n'),
    edge: () => fields(itemsOf('edges').properties ?? {}),
    graph: () => fields(graphFields),
  };
};

function ownFields({ properties = {} }: Schema): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => name !== 'kind' && name !== 'branches' && !(name in commonFields)),
  );
}

function propertiesOf(schema: z.ZodType): Record<string, Schema> {
  return (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema).properties ?? {};
}
