/** Tools of servers for tests: the real lists of three reference servers, and lists written after those people use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Json } from '../../src/core/schema/json.ts';
import type { Tool } from '../../src/core/schema/tool.ts';
import { defineTool, ok } from '../../src/kit/define-tool.ts';

const FOLDER = join(import.meta.dirname, '../fixture/offers');

type Listed = { name: string; description: string; inputSchema: Json };

/** All tools, as `mcp.<server>.<tool>`; `invoke` only says that it was called. */
export function serverTools(): Tool[] {
  const real = JSON.parse(readFileSync(join(FOLDER, 'real-servers.json'), 'utf8')) as Record<string, Listed[]>;
  const listed = Object.entries(real).flatMap(([server, tools]) =>
    tools.map(({ name, description, inputSchema }) =>
      toTool(server, name, description, z.fromJSONSchema(inputSchema as never)),
    ),
  );
  return [...listed, ...writtenTools()];
}

function writtenTools(): Tool[] {
  let server = '';
  return readFileSync(join(FOLDER, 'servers.txt'), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) {
        server = line.slice(2);
        return [];
      }
      const [name = '', about = '', fields = ''] = line.split('|').map((part) => part.trim());
      return [toTool(server, name, about, schemaOf(fields))];
    });
}

function schemaOf(fields: string): z.ZodType {
  const shape = fields
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map((field): [string, z.ZodType] =>
      field.endsWith('?') ? [field.slice(0, -1), z.string().optional()] : [field, z.string()],
    );
  return z.object(Object.fromEntries(shape));
}

function toTool(server: string, name: string, about: string, input: z.ZodType): Tool {
  return defineTool({
    name: `mcp.${server}.${name}`,
    about,
    input,
    output: z.unknown(),
    annotations: { risk: 'high' },
    targets: [],
    class: 'external_mutation',
    act: () => ok({ called: `${server}.${name}` }),
  });
}

/**
 * Tasks of people, each with the tools of which one has to be found. Words and weights were chosen with `tasks`;
 * `held-out-tasks` was written afterwards, and nothing was changed because of it.
 */
export function labelledTasks(set: 'tasks' | 'held-out-tasks' = 'tasks'): { task: string; tools: string[] }[] {
  return readFileSync(join(FOLDER, `${set}.txt`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [task = '', tools = ''] = line.split('|').map((part) => part.trim());
      return { task, tools: tools.split(' ').map((name) => `mcp.${name}`) };
    });
}
