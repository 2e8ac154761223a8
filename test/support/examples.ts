/** The examples in the comments of what others build on, as modules: types and tests compile and use what is said there. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const EXAMPLES = 'test/support/comment-examples.ts';

const TOP = join(import.meta.dirname, '../..');

/** The file of each example, and the declaration that its comment belongs to. */
const PLACES = {
  tool: ['src/kit/define-tool.ts', 'function defineTool'],
  node: ['src/core/schema/node-kind.ts', 'type NodeKind'],
  room: ['src/core/schema/room.ts', 'function defineRoom'],
  provider: ['src/core/schema/model-provider.ts', 'type ProviderDefinition'],
  channel: ['src/rooms/channels/channel-definition.ts', 'function defineChannel'],
  reader: ['src/kit/documents/document-kinds.ts', 'type DocumentKind'],
  command: ['src/kit/cli/command-module.ts', 'function command'],
  page: ['src/kit/web/page.ts', 'const definePage'],
} as const;

export type Example = keyof typeof PLACES;

/** Where a name that an example uses comes from. */
const IMPORTS: Readonly<Record<string, { types?: readonly string[]; values?: readonly string[] }>> = {
  'node:fs': { values: ['rmSync'] },
  'node:path': { values: ['join'] },
  zod: { values: ['z'] },
  'src/core/schema/channel-port.ts': { types: ['Channel'] },
  'src/core/schema/model-provider.ts': { types: ['ProviderDefinition'] },
  'src/core/schema/node-kind.ts': { types: ['NodeKind'] },
  'src/core/schema/ports.ts': { types: ['Model'] },
  'src/core/schema/room.ts': { values: ['defineRoom'] },
  'src/kit/cli/command-module.ts': { values: ['answer', 'command', 'type Commands'] },
  'src/kit/define-tool.ts': { values: ['defineTool'] },
  'src/kit/documents/document-kinds.ts': { types: ['DocumentKind'] },
  'src/kit/ports/room-ports.ts': { values: ['ports'] },
  'src/kit/web/page.ts': { values: ['definePage', 'defineQuery'] },
  'src/rooms/channels/channel-definition.ts': { values: ['defineChannel', 'sharedSettings'] },
};

/** The examples as one file at this path, with what they import. */
export function exampleModule(at: string, examples: readonly Example[]): string {
  const code = examples.map(exampleOf).join('\n\n');
  const isUsed = (name: string): boolean => new RegExp(`\\b${name.replace('type ', '')}\\b`).test(code);
  const imports = Object.entries(IMPORTS).flatMap(([source, { types = [], values = [] }]) => {
    const path = relative(dirname(at), source);
    const from = source.startsWith('src/') ? (path.startsWith('.') ? path : `./${path}`) : source;
    const line = (word: string, names: readonly string[]): string[] =>
      names.some(isUsed) ? [`import ${word}{ ${names.filter(isUsed).join(', ')} } from '${from}';`] : [];
    return [...line('type ', types), ...line('', values)];
  });
  return [...imports, '', code, ''].join('\n');
}

export const examplesText = (): string =>
  `/** Written by \`npm run docs\` out of comments in src: the examples there, which are compiled and used by tests. */\n${exampleModule(EXAMPLES, Object.keys(PLACES) as Example[])}`;

/** The code in the comment of a declaration. */
function exampleOf(example: Example): string {
  const [file, declaration] = PLACES[example];
  const lines = readFileSync(join(TOP, file), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(`export ${declaration}`));
  const start = lines.slice(0, at).findLastIndex((line) => line.startsWith('/**'));
  const comment = lines[at - 1] === ' */' ? lines.slice(start, at) : [];
  const code = comment.filter((_line, index) => isCode(comment, index));
  if (code.length === 0) throw new Error(`${declaration} in ${file} has no example in its comment`);
  return code.map((line) => line.replace(/^ \*(?: {5})?/, '')).join('\n');
}

/** Indented, or an empty line between such lines. */
function isCode(lines: readonly string[], index: number): boolean {
  const isIndented = (at: number): boolean => /^ \* {5}/.test(lines[at] ?? '');
  return isIndented(index) || (lines[index] === ' *' && isIndented(index - 1) && isIndented(index + 1));
}
