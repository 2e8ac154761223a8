/**
 * Owns: which content an approval is bound to: the files that a command names and, if it could send something out, what
 * goes with it by reference: everything below a folder that it names, the branches of a repository, files that a script
 * loads; and, where it starts a script of a project (`npm run deploy`), that script with what it names. And, in words, what the
 * approval does not cover.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Classified, Command } from '../schema/command.ts';
import { errnoOf } from '../schema/errors.ts';
import { isBelow } from './command-rights.ts';
import { hashFile, type NamedFile, namesInCommand, type Place, readNamedFiles } from './named-files.ts';
import { type ProjectScript, scriptsRunBy } from './project-scripts.ts';

type BoundContent = { files: NamedFile[]; unbound: string[]; scripts: ProjectScript[] };

const MOST_FILES = 5000;
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_SCRIPTS = 100;
const MOST_SCRIPT_BYTES = 512 * 1024;

export async function readBoundContent(command: Command, place: Place, found: Classified): Promise<BoundContent> {
  const named = await readNamedFiles(command, place, found.paths);
  const { dir } = place;
  const near = ['', ...named.flatMap(({ path }) => (path.endsWith('/package.json') ? [dirname(path)] : []))];
  const words = namesInCommand(command, found.paths);
  const scripts = await scriptsRunBy(words, found.programs, near, dir);
  if (found.class !== 'external_mutation') return { files: named, unbound: [], scripts };
  const lines = await Promise.all(
    scripts.map(({ path, text }) =>
      readNamedFiles({ line: text }, { ...place, dir: resolve(dir, dirname(path)) }, []).then((files) =>
        files.map((file) => ({ ...file, path: join(dirname(path), file.path) })),
      ),
    ),
  );
  named.push(...lines.flat());
  const unbound: string[] = [];
  const inScripts = scripts.flatMap(({ path, text }) =>
    namesInCommand({ line: text }, []).map((name) => join(dirname(path), name)),
  );
  const folders = [...words, ...inScripts, ...(found.programs.includes('git') ? GIT_FOLDERS : [])];
  const onDesk = [...new Set(folders)].filter((name) => isBelow(resolve(place.dir, name), place.home));
  const trees = await Promise.all(onDesk.map((name) => hashTree(name, place.dir, unbound)));
  const known = found.programs.includes('git')
    ? [...named.map(({ path }) => path), ...GIT_FILES]
    : named.map(({ path }) => path);
  const loaded = await filesLoadedBy(known, place.dir);
  const more = await Promise.all([...loaded].map((path) => hashNamed(path, place.dir)));
  const all = [...named, ...trees, ...more].filter((file) => file !== null);
  const byPath = new Map(all.map((file) => [file.path, file]));
  if (scripts.length > 0 || loaded.size > known.length || named.some(({ path }) => isScript(path)))
    unbound.push(DYNAMIC);
  if ('line' in command && /\$[\w{(]|`/.test(command.line)) unbound.push(EXPANDED);
  return { files: [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)), unbound, scripts };
}

const GIT_FILES = ['.git/HEAD', '.git/packed-refs', '.git/config'];
const GIT_FOLDERS = ['.git/refs/heads', '.git/refs/tags'];
const DYNAMIC = 'What its scripts load or read under names that only they make up';
const EXPANDED = 'What the names that the shell inserts ($…) stand for';

async function hashNamed(path: string, dir: string): Promise<NamedFile | null> {
  const content = await hashFile(resolve(dir, path), MOST_BYTES);
  return content === null ? null : { path, sha256: content.sha256 };
}

/** One entry for everything below a folder; null if the name is not a folder. */
async function hashTree(name: string, dir: string, unbound: string[]): Promise<NamedFile | null> {
  const top = resolve(dir, name);
  if ((await stat(top).catch(() => null))?.isDirectory() !== true) return null;
  const paths = await filesBelow(top);
  if (paths.length > MOST_FILES) {
    unbound.push(`The folder ${name}: it has more than ${MOST_FILES} files`);
    return null;
  }
  const hash = createHash('sha256');
  let room = MOST_BYTES;
  for (const path of paths) {
    const content = await hashFile(join(top, path), room);
    room -= content?.size ?? 0;
    hash.update(`${path}\0${content?.sha256 ?? ''}\n`);
  }
  return { path: `${name.replace(/\/+$/, '')}/ (${paths.length} files)`, sha256: hash.digest('hex') };
}

/** Sorted, at most one more than are bound; links are named, not followed. */
async function filesBelow(top: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined && found.length <= MOST_FILES; folder = folders.pop())
    for (const entry of await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else found.push(join(folder, entry.name));
    }
  return found.toSorted();
}

/** The given files, and those that scripts among them load by a name that can be read from their text. */
async function filesLoadedBy(paths: readonly string[], dir: string): Promise<Set<string>> {
  const known = new Set(paths);
  for (const path of known) {
    if (known.size > MOST_SCRIPTS || !isScript(path)) continue;
    const text = await readScript(resolve(dir, path));
    for (const name of namesLoadedIn(text))
      for (const candidate of [join(dirname(path), name), name])
        if ((await stat(resolve(dir, candidate)).catch(() => null))?.isFile() === true) known.add(candidate);
  }
  return known;
}

const isScript = (path: string): boolean =>
  /(?:\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|php)|\/[^./]+|^[^./]+|Makefile)$/.test(path);

const LOADS = [
  /(?:^|[\s;&|(])(?:source|\.)\s+["']?([\w./-]+)/gm,
  /(?:^|[\s;&|(])(?:bash|sh|zsh|python3?|node|ruby|perl|php)\s+(?:-\w+\s+)*["']?([\w./-]+)/gm,
  /(?:from|import|require\(|require_relative|include)\s*\(?["'](\.{0,2}\/?[\w./-]+)["']/gm,
];

function namesLoadedIn(text: string): string[] {
  const names = LOADS.flatMap((shape) => [...text.matchAll(shape)].map(([, name = '']) => name));
  const modules = [...text.matchAll(/^\s*(?:from|import)\s+([\w.]+)/gm)].map(([, name = '']) =>
    name.replaceAll('.', '/'),
  );
  const all = [
    ...names.flatMap((name) => [name, `${name}.js`, `${name}.ts`, `${name}.rb`]),
    ...modules.map((name) => `${name}.py`),
  ];
  return all.filter((name) => name !== '' && !name.startsWith('/'));
}

async function readScript(path: string): Promise<string> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_SCRIPT_BYTES ? await readFile(path, 'utf8') : '';
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return '';
  }
}
