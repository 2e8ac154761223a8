/**
 * Owns: reading the files that a command names, so that an approval of `bash deploy.sh` covers exactly that deploy.sh.
 * Does not own: what goes out with the command by reference (bound-content.ts).
 *
 * N1 Every word of the command that names a regular file counts, relative to the folder it starts in and to every folder
 *    it names; so do files that a program reads by default, and all files in folders that a pattern matches in.
 * N2 Reading never blocks and has no effects: pipes and devices are not opened.
 */
import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Command } from '../schema/command.ts';
import { errnoOf } from '../schema/errors.ts';

export type NamedFile = { path: string; sha256: string };

/** The folder a command starts in, and its home folder (~). */
export type Place = { dir: string; home: string };

const MOST_NAMES = 40_000;
const MOST_FOLDERS = 20;
/** At most this many bytes are read in total. */
const MOST_BYTES = 256 * 1024 * 1024;
const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

const BY_CUSTOM: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile'],
  docker: ['Dockerfile', 'compose.yaml', 'docker-compose.yml'],
};

/** Sorted by name. `paths` are those that the classifier found in the command. */
export async function readNamedFiles(command: Command, place: Place, paths: readonly string[]): Promise<NamedFile[]> {
  const names = namesInCommand(command, paths).map((name) => name.replace(/^~(?=\/|$)/, place.home));
  const folders = await foldersAmong(names, place.dir);
  const patterns = await filesUnder(names.filter(isPattern), place.dir);
  const from = (folder: string): string[] =>
    names.filter((name) => folder === '' || !isAbsolute(name)).map((name) => join(folder, name));
  const all = new Set([...['', ...folders].flatMap(from), ...patterns]);
  const found: NamedFile[] = [];
  let room = MOST_BYTES;
  for (const path of [...all].slice(0, MOST_NAMES).toSorted()) {
    const content = await hashFile(resolve(place.dir, path), room);
    if (content === null) continue;
    found.push({ path, sha256: content.sha256 });
    room -= content.size;
  }
  return found;
}

export function namesInCommand(command: Command, paths: readonly string[]): string[] {
  const words = 'argv' in command ? command.argv.flatMap(partsOf) : wordsOf(command.line);
  const customs = words
    .map((word) => basename(word))
    .flatMap((name) => (Object.hasOwn(BY_CUSTOM, name) ? (BY_CUSTOM[name] ?? []) : []));
  const isName = (name: string): boolean => name !== '' && name.length <= 4096 && !name.includes('\0');
  return [...new Set([...paths, ...words, ...customs])].filter(isName);
}

/** Quoted texts, and words between blanks, quotes and operators; a word too many is harmless. */
function wordsOf(line: string): string[] {
  const inQuotes = [...line.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double ?? '');
  return [...inQuotes, ...line.split(/[\s"'`;|&<>()$]+/)].flatMap(partsOf);
}

/** The word itself and the file in `@file`, `--option=file` or `name:file`. */
function partsOf(word: string): string[] {
  return [word, ...word.split(/[=:,@]/).slice(1)];
}

const isPattern = (name: string): boolean => /[*?[{]/.test(name);

async function foldersAmong(names: readonly string[], dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const stats = await stat(resolve(dir, name)).catch(() => null); // not there, or out of reach: no folder to bind
    if (stats?.isDirectory() === true && resolve(dir, name) !== resolve(dir)) found.push(name);
    if (found.length >= MOST_FOLDERS) break;
  }
  return found;
}

/** All files in the folders of the patterns; which of them the shell would select does not matter. */
async function filesUnder(patterns: readonly string[], dir: string): Promise<string[]> {
  const folders = new Set(patterns.map((pattern) => dirname(`${pattern.split(/[*?[{]/, 1)[0] ?? ''}x`)));
  const found: string[] = [];
  for (const folder of [...folders].slice(0, MOST_FOLDERS))
    for (const name of await readdir(resolve(dir, folder)).catch(() => [])) found.push(join(folder, name));
  return found;
}

/** Null if there is no such regular file. A file larger than the remaining room is represented by its size and times. */
export async function hashFile(path: string, room: number): Promise<{ sha256: string; size: number } | null> {
  try {
    if (!(await stat(path)).isFile()) return null;
    await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    const found = await file.stat();
    if (!found.isFile()) return null;
    const { size, mtimeMs, ctimeMs, ino } = found;
    if (size > room) return { sha256: hash('sha256', `${size} ${mtimeMs} ${ctimeMs} ${ino}`), size: 0 };
    const sum = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false })) sum.update(chunk as Buffer);
    return { sha256: sum.digest('hex'), size };
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? { sha256: 'not readable', size: 0 } : null;
  }
}
