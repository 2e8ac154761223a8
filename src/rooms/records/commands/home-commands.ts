/** A home, and the schemas of its files. */
import { assertOwnKeys } from '../../../kit/home/folder-access.ts';
import { makeEgressKey, setUp } from '../../../kit/home/set-up.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { schemaCatalog } from '../../../kit/house/schema-catalog.ts';
import { jsonSchemaOf } from '../../../core/schema/catalog.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { flag, text } from '../../../kit/cli/options.ts';

type SchemaData = { names: string[]; about: Readonly<Record<string, string>> } | { schema: unknown };

export const commands: Commands = {
  init: command({
    summary: 'Set up a folder: .oka, workspace and their rules',
    options: {
      restore: flag('Make what is missing in a home that was set up before; rules are the default ones.'),
      docker: flag('Only write a docker-compose.yml that needs no clone; its containers set the folder up.'),
      image: text('NAME', 'With --docker: the image to run (default oka:local).'),
      'egress-key': text('FILE', 'Also make the key for `oka egress --key`, if there is none.'),
    },
    example: 'oka init --dir ~/assistant',
    run: async ({ home, options }) => {
      const { egressKey, restore, docker, image } = options;
      if (image !== undefined && !/^[a-z0-9][\w.:/@-]*$/.test(image))
        throw new OkaError(
          'usage',
          `--image: "${image}" is not the name of an image, such as registry.example.org/oka:1`,
        );
      if (docker) {
        const { writeComposeFile } = await import('../compose-file.ts');
        return answer({ dir: home.dir, made: writeComposeFile(home, image) });
      }
      if (egressKey !== undefined) assertOwnKeys(egressKey);
      const made = setUp(home, { restore });
      if (egressKey !== undefined && makeEgressKey(egressKey)) made.push(egressKey);
      return answer({ dir: home.dir, made });
    },
    render: ({ dir, made }) => {
      if (made.length === 0) return `${dir} is set up already; nothing was changed.\n`;
      const files = made.map((path) => `  ${path}\n`).join('');
      const next = made.includes('docker-compose.yml')
        ? 'start it there: docker compose up --detach'
        : 'drop a task into workspace/inbox, or see what there is: oka status';
      return `Set up ${dir}:\n${files}Next: ${next}\n`;
    },
  }),
  schema: command({
    summary: 'Print the JSON Schema of a concept, for editors; without a name, list them',
    operands: '[name]',
    example: 'oka schema config',
    run: async ({ operands, rooms }: Call): Promise<Answer<SchemaData>> => {
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
    },
    render: (data: SchemaData, terminal: Terminal): string => {
      if ('schema' in data) return `${JSON.stringify(data.schema, null, 2)}\n`;
      const columns = [
        { text: (name: string) => name },
        { text: (name: string) => data.about[name] ?? '', grows: true },
      ];
      return renderColumns(data.names, columns, terminal);
    },
    jsonLines: (data: SchemaData): unknown[] => ['names' in data ? data.names : data.schema],
  }),
};

function descriptionsOf(known: Awaited<ReturnType<typeof schemaCatalog>>): Record<string, string> {
  return Object.fromEntries(Object.entries(known).map(([name, { description }]) => [name, description ?? '']));
}
