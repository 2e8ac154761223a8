/** Tables about graphs that are made from the schemas, and the picture of the graph that the documents show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureOf } from '../../src/kit/views/picture/graph-picture.ts';
import { toSvg } from '../../src/kit/views/picture/svg.ts';
import { checkGraphValue } from '../../src/kit/graphs/graph-files.ts';
import { nodeKinds } from '../../src/kit/house/room-contributions.ts';
import { commonFields } from '../../src/core/schema/graph.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { graphSchemaWith } from '../../src/core/schema/node-kind.ts';
import { Mode } from '../../src/core/schema/run.ts';
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
    modes: () =>
      table(
        ['kind', ...Mode.options],
        [...kindsByDemands()].map(([demands, named]) => [named.join(', '), ...demands.split('|')]),
      ),
  };
};

/** A node of each kind with nothing that a mode could demand. */
const BARE: Readonly<Record<string, { [field: string]: Json }>> = {
  map: { each: { kind: 'transform', id: 'each' } },
  tool: { tool: 't' },
  agent: { goal: 'g' },
  graph: { graph: 'g' },
  wait: { for: { kind: 'question', text: 'q' } },
  typed_condition: { left: 1, operator: 'eq', right: 1 },
  transform: {},
  ask: { question: 'q' },
  ai_template: { prompt: 'p' },
  llm_condition: { prompt: 'p', branch_options: [{ name: 'a', meaning: 'a' }] },
  read_state: { key: 'k' },
  write_state: { key: 'k' },
  read_prior_runs: {},
};

/** For what each mode demands, the kinds of nodes of which it is demanded: what `oka graph validate` says to bare nodes. */
function kindsByDemands(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const node of nodes) {
    const kind = String(kindOf(node)['const']);
    const demands = Mode.options.map((mode) => demandsOf(mode, kind)).join('|');
    found.set(demands, [...(found.get(demands) ?? []), `\`${kind}\``]);
  }
  return found;
}

function demandsOf(mode: Mode, kind: string): string {
  const bare = BARE[kind];
  if (bare === undefined) throw new Error(`there is no bare node of the kind ${kind}`);
  const { problems } = checkGraphValue({ id: 'g', mode, nodes: [{ kind, id: 'n', ...bare }] }, 'g', [], kinds);
  const ofMode = problems.filter(({ rule = '' }) => rule.startsWith('mode'));
  const demanded = ofMode.map(({ problem }) => /^mode \w+ needs ([^;]+)/.exec(problem)?.[1] ?? 'not allowed');
  return demanded.length === 0 ? '–' : demanded.map((each) => each.replace(/^\w+_\w+$/, '`$&`')).join(', ');
}

function ownFields({ properties = {} }: Schema): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => name !== 'kind' && name !== 'branches' && !(name in commonFields)),
  );
}

function propertiesOf(schema: z.ZodType): Record<string, Schema> {
  return (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema).properties ?? {};
}
