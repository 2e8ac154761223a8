/**
 * Owns: what a browser is sent as files: our own modules with their types stripped, style sheets, and packages.
 *
 * 1. Only what is in this list can be asked for; a path is a key, never a path on the disk.
 * 2. The address contains a hash of all of it, so that a browser may keep a file for ever.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, dirname, extname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Language } from '../../../core/schema/spoken-language.ts';
import { catalogueOf, LANGUAGES } from '../../text/languages.ts';

type BrowserFile = { readonly type: string; readonly body: Buffer; readonly gzipped: Buffer };

export type BrowserFiles = {
  /** Part of every address. */
  readonly version: string;
  find: (path: string) => BrowserFile | null;
  /** All that there is. */
  readonly paths: readonly string[];
  /** Addresses of the modules that have to be there before these files run: themselves and all that they import at once. */
  modulesOf: (files: readonly URL[]) => readonly string[];
  /** The address of a file of ours, below that of the dashboard. */
  addressOf: (file: URL) => string;
  /** The address of a script that has the sentences of a language; null where none is needed. */
  wordsFor: (language: Language) => string | null;
  /** Bare names of packages, and where their modules are. */
  readonly imports: Readonly<Record<string, string>>;
};

const SOURCE = join(import.meta.dirname, '../../..');
/** Modules that views import by name, as files of their packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: 'preact/dist/preact.mjs',
  'preact/hooks': 'preact/hooks/dist/hooks.mjs',
  '@preact/signals-core': '@preact/signals-core/dist/signals-core.mjs',
  '@preact/signals': '@preact/signals/dist/signals.mjs',
  htm: 'htm/dist/htm.mjs',
  uplot: 'uplot/dist/uPlot.iife.min.js',
  marked: 'marked/lib/marked.esm.js',
  dompurify: 'dompurify/dist/purify.min.js',
};
/** Packages whose small form is a script: what makes it a module. */
const EXPORTS: Readonly<Record<string, string>> = {
  'uPlot.iife.min.js': '\nexport default uPlot;\n',
  'purify.min.js': '\nexport default globalThis.DOMPurify;\n',
};
const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export function openBrowserFiles(): BrowserFiles {
  const own = globSync('**/browser/**/*.{ts,js,css,svg,png}', { cwd: SOURCE }).map((path) => join(SOURCE, path));
  const places = new Map<string, string>([
    ...own.map((file): [string, string] => [keyOf(file), file]),
    ...Object.values(PACKAGES).map((path): [string, string] => [`npm/${path}`, packageFile(path)]),
    ['npm/uplot/dist/uPlot.min.css', packageFile('uplot/dist/uPlot.min.css')],
    ...LANGUAGES.map((language): [string, string] => [wordsPath(language), fileURLToPath(catalogueOf(language))]),
  ]);
  const version = versionOf([...places.values()]);
  const prefix = `assets/${version}/`;
  const cache = new Map<string, BrowserFile>();
  const find = (path: string): BrowserFile | null => {
    const place = places.get(path);
    if (place === undefined) return null;
    const file = cache.get(path) ?? readBrowserFile(place);
    cache.set(path, file);
    return file;
  };
  return {
    version,
    paths: [...places.keys()],
    find,
    modulesOf: (files) =>
      closureOf(
        files.map((file) => keyOf(fileURLToPath(file))),
        find,
      ).map((path) => prefix + path),
    addressOf: (file) => `${prefix}${keyOf(fileURLToPath(file))}`,
    wordsFor: (language) => (language === 'en' ? null : prefix + wordsPath(language)),
    imports: Object.fromEntries(Object.entries(PACKAGES).map(([name, path]) => [name, `${prefix}npm/${path}`])),
  };
}

const wordsPath = (language: string): string => `words/${language}.json`;

/** Breadth first, so that what is needed by many comes early. */
function closureOf(entries: readonly string[], find: BrowserFiles['find']): string[] {
  const found = new Set(entries);
  for (const path of found)
    for (const imported of importsIn(path, find(path)?.body.toString() ?? '')) found.add(imported);
  return [...found];
}

/** What a module imports at once, as paths of browser files; types are stripped already. */
const STATIC_IMPORT = /(?:^|[;\n}])\s*(?:import|export)\b[^'"();]*?from\s*['"]([^'"]+)['"]/g;

function importsIn(path: string, code: string): string[] {
  return [...code.matchAll(STATIC_IMPORT)].flatMap(([, name = '']) => {
    const known = PACKAGES[name];
    if (known !== undefined) return [`npm/${known}`];
    return name.startsWith('.') ? [posix.join(posix.dirname(path), name)] : [];
  });
}

const keyOf = (file: string): string => relative(SOURCE, file).split(sep).join('/');

function readBrowserFile(place: string): BrowserFile {
  const ending = extname(place);
  const body =
    ending === '.ts'
      ? Buffer.from(withoutTypes(readFileSync(place, 'utf8')))
      : ending === '.json'
        ? Buffer.from(`okaWords = ${readFileSync(place, 'utf8')}`) // a plain script: it has run before any module does
        : asModule(place, withoutMap(readFileSync(place)));
  return { type: TYPES[ending] ?? 'application/octet-stream', body, gzipped: gzipSync(body) };
}

/** Without comments, too. Node warns that this is experimental; the same function runs all of our code. */
function withoutTypes(code: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(code, { mode: 'transform' });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A package's map of its source is not served; a browser would ask for it in vain. */
function withoutMap(body: Buffer): Buffer {
  const at = body.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? body : body.subarray(0, at);
}

const asModule = (place: string, body: Buffer): Buffer =>
  Buffer.concat([body, Buffer.from(EXPORTS[basename(place)] ?? '')]);

function packageFile(path: string): string {
  const [scope = '', name = ''] = path.split('/');
  const id = scope.startsWith('@') ? `${scope}/${name}` : scope;
  const { resolve } = createRequire(import.meta.url);
  return join(folderOfPackage(resolve(id), id), path.slice(id.length + 1));
}

/** The folder of a package, whichever of its files it resolves to. */
function folderOfPackage(file: string, id: string): string {
  const marker = join('node_modules', ...id.split('/'));
  const at = file.lastIndexOf(marker);
  return at < 0 ? dirname(file) : file.slice(0, at + marker.length);
}

function versionOf(files: readonly string[]): string {
  const digest = createHash('sha256');
  for (const file of files.toSorted()) digest.update(readFileSync(file));
  return digest.digest('hex').slice(0, 12);
}
