/** Tables of the documents that are made from the source; `npm run docs` writes them, test/documents.test.ts checks them. */
import { z } from 'zod';
import { FENCE_ATTRIBUTES } from '../../src/kit/text/fence-info.ts';
import { commandTables } from './command-tables.ts';
import { GRAMMAR } from '../../src/kit/task/checks.ts';
import { FENCE_LANGUAGES } from '../../src/kit/task/runbook-steps.ts';
import { graphTables } from './graph-tables.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { TaskFile } from '../../src/core/schema/task-file.ts';

export const PAGES = ['docs/TASKS.md', 'docs/CHECKS.md', 'docs/GRAPHS.md', 'docs/COMMANDS.md'];

const BLOCK = /(<!-- generated: (\w+) -->\n)[^]*?(<!-- end -->)/g;

/** The page with every generated block as it has to be. */
export function withTables(page: string): string {
  return page.replaceAll(BLOCK, (_, start: string, name: string, end: string) => {
    const table = TABLES[name];
    if (table === undefined) throw new Error(`there is no table "${name}"`);
    return `${start}\n${table()}\n${end}`;
  });
}

type Field = { description?: string; examples?: Json[]; properties?: Record<string, Field> };

/** Fields of front matter in JSON schema, with a description and an example each. */
export function fieldsOf(schema: z.ZodType): Record<string, Field> {
  return (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Field).properties ?? {};
}

const TABLES: Readonly<Record<string, () => string>> = {
  ...graphTables(table),
  commands: () => commandTables(table),
  fields: () => fieldTable(fieldsOf(TaskFile)),
  budget: () => {
    const limits = fieldsOf(TaskFile)['budget']?.properties ?? {};
    return table(
      ['limit', 'meaning'],
      Object.entries(limits).map(([name, { description = '' }]) => [`\`${name}\``, description]),
    );
  },
  checks: () =>
    table(
      ['word', 'what it checks', 'for example'],
      GRAMMAR.map(({ word, about, examples }) => [
        `\`${word}\``,
        about,
        examples.map((example) => `\`${example}\``).join(', '),
      ]),
    ),
  languages: () => {
    const programs = { shell: 'bash', python: 'python3', javascript: 'node' };
    const rows = Object.entries(programs).map(([language, program]) => {
      const names = Object.entries(FENCE_LANGUAGES).filter(([, each]) => each === language);
      return [names.map(([name]) => `\`\`\` \`\`\`${name} \`\`\``).join(', '), `\`${program}\``];
    });
    return table(['a block that begins with', 'is run by'], rows);
  },
  attributes: () =>
    table(
      ['setting', 'meaning'],
      Object.values(FENCE_ATTRIBUTES).map(({ example, about }) => [`\`${example}\``, about]),
    ),
};

function fieldTable(fields: Record<string, Field>): string {
  const rows = Object.entries(fields).map(([name, { description = '', examples = [] }]) => {
    const [example] = examples;
    if (example === undefined) throw new Error(`${name} of TaskFile has no example; give it .meta({ examples: […] })`);
    return [`\`${name}\``, description, `\`${name}: ${toYaml(example)}\``];
  });
  return table(['field', 'meaning', 'for example'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return `${[line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')}\n`;
}

/** A value in the flow style of YAML, with quotes only where it needs them. */
function toYaml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${toYaml(each ?? null)}`)
      .join(', ')} }`;
  return typeof value === 'string' && !/^[A-Za-z][\w ./:-]*$/.test(value) ? JSON.stringify(value) : String(value);
}
