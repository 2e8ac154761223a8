import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkGraphValue } from '../src/kit/graphs/graph-files.ts';
import { knownToolNames, nodeKinds } from '../src/kit/house/room-contributions.ts';
import { GraphImportConfig } from '../src/rooms/graphs/kinds/import-tools.ts';
import { FENCE_ATTRIBUTES, parseFenceInfo } from '../src/kit/text/fence-info.ts';
import { TaskFile } from '../src/core/schema/task-file.ts';
import { examplePicture, PICTURE } from './support/graph-tables.ts';
import { fieldsOf, PAGES, withTables } from './support/task-tables.ts';

const TOP = join(import.meta.dirname, '..');
/** A part of a path names a file of these folders; a test is named by its complete path. */
const SOURCES = globSync(['{src,bench,convex,native}/**/*.{ts,c}', 'test/native/*.c'], { cwd: TOP });
const TESTS = globSync('test/**/*.ts', { cwd: TOP });
/** A path or a file name of source code; an asterisk stands for any name. */
const SOURCE_PATH = /^[\w*.-]+(?:\/[\w*.-]+)*\.(?:ts|c)$/;

it.each(['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/WORDS.md'])(
  'every source file that %s names exists',
  (document) => {
    expect(missingPaths(readFileSync(join(TOP, document), 'utf8'))).toEqual([]);
  },
);

it.each([
  ['README.md', 110],
  ['AGENTS.md', 60],
  ['CHANGELOG.md', 60],
])('%s has at most %i lines, so that a newcomer reads it', (page, most) => {
  expect(readFileSync(join(TOP, page), 'utf8').split('\n').length).toBeLessThanOrEqual(most);
});

it.each(PAGES)('the tables of %s are those of the source; `npm run docs` writes them', (page) => {
  const text = readFileSync(join(TOP, page), 'utf8');
  expect(text).toBe(withTables(text));
});

it('the picture of a graph in the documents is the one that oka graph render draws; `npm run docs` writes it', () => {
  expect(readFileSync(join(TOP, PICTURE), 'utf8')).toBe(examplePicture());
  expect(readFileSync(join(TOP, 'docs/GRAPHS.md'), 'utf8')).toContain(`](${basename(PICTURE)})`);
});

it('every example of a graph in docs/GRAPHS.md has no problem', async () => {
  const [kinds, tools] = [await nodeKinds(), await knownToolNames()];
  const page = readFileSync(join(TOP, 'docs/GRAPHS.md'), 'utf8');
  const examples = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text) as object);
  expect(examples.length).toBeGreaterThan(5);
  for (const example of examples)
    if ('graph_import' in example) GraphImportConfig.parse(example.graph_import);
    else expect(checkGraphValue(example, 'example', tools, kinds)).toMatchObject({ problems: [] });
});

it('every example of a field of front matter is valid, and so are the settings of a step', () => {
  for (const [field, { examples = [] }] of Object.entries(fieldsOf(TaskFile)))
    for (const example of examples) expect(TaskFile.safeParse({ [field]: example })).toMatchObject({ success: true });
  for (const { example } of Object.values(FENCE_ATTRIBUTES))
    expect(parseFenceInfo(`bash ${example}`).problems).toEqual([]);
});

it('a file that is not there is reported with its line, and a part of a path is enough to name one', () => {
  const text =
    'See `core/engine/decide.ts`, `decide.ts` and `vault-*.ts`.\n`engine/no-such.ts`, `ide.ts` and `--flag`.';
  expect(missingPaths(text)).toEqual(['line 2: engine/no-such.ts', 'line 2: ide.ts']);
});

function missingPaths(text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`([^`]+)`/g)]
      .map(([, quoted = '']) => quoted)
      .filter((path) => SOURCE_PATH.test(path) && !isNamedInSources(path))
      .map((path) => `line ${index + 1}: ${path}`),
  );
}

function isNamedInSources(path: string): boolean {
  const pattern = path.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*');
  const end = new RegExp(`(?:^|/)${pattern}$`);
  return TESTS.includes(path) || SOURCES.some((source) => end.test(source));
}
