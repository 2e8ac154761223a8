/** `npm run check:exports`: names what a file of src exports and no other file imports; then the exit code is 1. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'vitest/node';

const TOP = join(import.meta.dirname, '../..');
/** The browser loads these by the address of their page, and reads what `kit/web/browser/page-data.ts` says. */
const LOADED_BY_ADDRESS = /\/browser\/[a-z-]+-view\.ts$/;

type Source = { text: string; imports: ReadonlyMap<string, ReadonlySet<string>>; exports: readonly string[] };

const paths = globSync('{src,test,bench,pack}/**/*.{ts,js}', { cwd: TOP }).filter(
  (path) => !path.includes('/fixture/'),
);
const sources = new Map(paths.map((path) => [join(TOP, path), readSource(join(TOP, path))]));
const unused = [...sources]
  .filter(([path]) => path.startsWith(join(TOP, 'src/')) && !LOADED_BY_ADDRESS.test(path))
  .flatMap(([path, { exports }]) => exports.filter((name) => !isImported(path, name)).map((name) => [path, name]));

for (const [path = '', name = ''] of unused)
  console.log(
    `${path.slice(TOP.length + 1)} exports ${name}, which no other file imports: drop \`export\`, or delete it`,
  );
process.exitCode = unused.length === 0 ? 0 : 1;

/** A file that imports a whole module uses of it what it names. */
function isImported(path: string, name: string): boolean {
  return [...sources.values()].some(({ text, imports }) => {
    const names = imports.get(path);
    return names !== undefined && (names.has(name) || (names.has('*') && new RegExp(`\\b${name}\\b`).test(text)));
  });
}

function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const imports = new Map<string, Set<string>>();
  const uses = (from: string, ...names: string[]): void => {
    const target = resolve(path, '..', from);
    imports.set(target, new Set([...(imports.get(target) ?? []), ...names]));
  };
  const exports: string[] = [];
  for (const node of parseAst(text, { lang: 'ts' }).body) {
    if (node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source !== null))
      for (const each of node.specifiers)
        uses(
          String(node.source?.value),
          each.type === 'ImportSpecifier'
            ? textOf(each.imported)
            : each.type === 'ExportSpecifier'
              ? textOf(each.local)
              : '*',
        );
    if (node.type !== 'ExportNamedDeclaration' || node.declaration === null) continue;
    const { declaration } = node;
    if ('declarations' in declaration)
      exports.push(...declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : [])));
    else if ('id' in declaration && declaration.id !== null && 'name' in declaration.id)
      exports.push(declaration.id.name);
  }
  for (const [, from = ''] of text.matchAll(/\bimport\(\s*'(\.[^']+)'/g)) uses(from, '*');
  return { text, imports, exports };
}

function textOf(name: object): string {
  return 'name' in name ? String(name.name) : 'value' in name ? String(name.value) : '';
}
