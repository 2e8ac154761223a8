import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chapters } from '../pack/site/site-pages.ts';
import { rooms } from '../src/app/rooms.ts';
import { checkGraphValue } from '../src/kit/graphs/graph-files.ts';
import { knownToolNames, nodeKinds } from '../src/kit/house/room-contributions.ts';
import { GraphImportConfig } from '../src/rooms/graphs/kinds/import-tools.ts';
import { FENCE_ATTRIBUTES, parseFenceInfo } from '../src/kit/text/fence-info.ts';
import { TaskFile } from '../src/core/schema/task-file.ts';
import { EXAMPLES, examplesText } from './support/examples.ts';
import { examplePicture, PICTURE } from './support/graph-tables.ts';
import { fieldsOf, PAGES, withTables } from './support/task-tables.ts';

const TOP = join(import.meta.dirname, '..');
/** A part of a path names a file of these folders; a test is named by its complete path. */
const SOURCES = globSync(['{src,bench,convex,native}/**/*.{ts,c}', 'test/native/*.c'], { cwd: TOP });
const TESTS = globSync('test/**/*.ts', { cwd: TOP });
/** A path or a file name of source code; an asterisk stands for any name. */
const SOURCE_PATH = /^[\w*.-]+(?:\/[\w*.-]+)*\.(?:ts|c)$/;
const READMES = globSync('src/**/README.md', { cwd: TOP }).toSorted();

it.each(['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/WORDS.md', ...READMES])(
  'every source file that %s names exists, and every page that it links',
  (document) => {
    const text = readFileSync(join(TOP, document), 'utf8');
    expect(missingPaths(text)).toEqual([]);
    expect(linkedPages(text).filter((page) => !existsSync(join(TOP, dirname(document), page)))).toEqual([]);
  },
);

it('every promise of docs/SECURITY.md is numbered, and names a test that is there', () => {
  const text = readFileSync(join(TOP, 'docs/SECURITY.md'), 'utf8');
  const promises = text.match(/^\d+\. .+$/gm) ?? [];
  expect(promises.map((each) => Number.parseInt(each, 10))).toEqual(promises.map((_, index) => index + 1));
  for (const promise of promises) {
    const tests = [...promise.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, path = '']) => path);
    expect(tests, promise.slice(0, 60)).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(join(TOP, path)))).toEqual([]);
  }
});

describe('a newcomer reads a page a folder', () => {
  it.each([...readdirSync(join(TOP, 'src/rooms')).map((room) => `rooms/${room}`), 'core', 'kit', 'app'])(
    'src/%s has a README of 15 to 50 lines',
    (folder) => {
      const lines = readFileSync(join(TOP, 'src', folder, 'README.md'), 'utf8')
        .trimEnd()
        .split('\n').length;
      expect(lines).toBeGreaterThanOrEqual(15);
      expect(lines).toBeLessThanOrEqual(50);
    },
  );

  it.each(rooms.filter(({ name }) => name.startsWith('rooms/')).map((room) => [room.name, room] as const))(
    'the README of %s names every event that it writes, and every port that it needs or gives',
    (name, { events = [], needs, gives }) => {
      const [, folder = ''] = name.split('/');
      const text = readFileSync(join(TOP, 'src/rooms', folder, 'README.md'), 'utf8');
      const ports = [...Object.values(needs), ...Object.values(gives)].map((port) => port.name);
      expect([...events, ...ports].filter((word) => !text.includes(`\`${word}\``))).toEqual([]);
    },
  );

  it('the core is read in the order of its README, in no more lines than it says', () => {
    const text = readFileSync(join(TOP, 'src/core/README.md'), 'utf8');
    const [, order = ''] = /## Read in this order\n\n([^]*?)\n\n/.exec(text) ?? [];
    const files = [...order.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path = '']) => join('src/core', path));
    const [alone = 0, withImports = 0] = [...text.matchAll(/at most ([\d,]+) lines/g)].map(([, number = '']) =>
      Number(number.replaceAll(',', '')),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(linesOf(files)).toBeLessThanOrEqual(alone);
    expect(linesOf([...files, ...files.flatMap(importsFromCore)])).toBeLessThanOrEqual(withImports);
  });
});

it('ARCHITECTURE.md names every room', () => {
  const text = readFileSync(join(TOP, 'ARCHITECTURE.md'), 'utf8');
  const rooms = readdirSync(join(TOP, 'src/rooms'));
  expect(rooms.filter((room) => !text.includes(`\`${room}\``))).toEqual([]);
});

it('ARCHITECTURE.md has at most 12 KB, so that it stays the picture of the house', () => {
  expect(readFileSync(join(TOP, 'ARCHITECTURE.md')).length).toBeLessThanOrEqual(12 * 1024);
});

it.each([
  ['README.md', 110],
  ['AGENTS.md', 60],
  ['CHANGELOG.md', 60],
])('%s has at most %i lines, so that a newcomer reads it', (page, most) => {
  expect(readFileSync(join(TOP, page), 'utf8').split('\n').length).toBeLessThanOrEqual(most);
});

it('the examples in comments are those that are compiled; `npm run docs` writes them', () => {
  expect(readFileSync(join(TOP, EXAMPLES), 'utf8')).toBe(examplesText());
});

it.each(PAGES)('the tables of %s are those of the source; `npm run docs` writes them', (page) => {
  const text = readFileSync(join(TOP, page), 'utf8');
  expect(text).toBe(withTables(text));
});

it('the picture of a graph in the documents is the one that oka graph render draws; `npm run docs` writes it', () => {
  expect(readFileSync(join(TOP, PICTURE), 'utf8')).toBe(examplePicture());
  expect(readFileSync(join(TOP, 'docs/GRAPHS.md'), 'utf8')).toContain(`](${basename(PICTURE)})`);
});

it('every document is on a page of the site', () => {
  const shown = chapters.flatMap(({ pages }) => pages.map(({ file }) => file));
  expect(globSync('docs/*.md', { cwd: TOP }).filter((file) => !shown.includes(file))).toEqual([]);
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

/** Pages and pictures of this repository that a text links to. */
function linkedPages(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, page = '']) => page);
}

function linesOf(files: readonly string[]): number {
  return [...new Set(files)]
    .map((file) => readFileSync(join(TOP, file), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);
}

/** Types count, too: a reader has to know them. */
function importsFromCore(file: string): string[] {
  return [...readFileSync(join(TOP, file), 'utf8').matchAll(/from '(\.[^']+)';$/gm)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith('src/core/'));
}

function isNamedInSources(path: string): boolean {
  const pattern = path.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*');
  const end = new RegExp(`(?:^|/)${pattern}$`);
  return TESTS.includes(path) || SOURCES.some((source) => end.test(source));
}
