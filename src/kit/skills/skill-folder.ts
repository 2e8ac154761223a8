/**
 * Owns: the files of a skill, read once and completely, and the hash over them.
 *
 * 1. Links, devices and anything else that is no file or folder are refused: what is read is below the folder.
 * 2. A skill is bounded in files, depth and bytes, so that reading one is always cheap.
 * 3. The hash covers path, execute bit and content of every file, in the order of their paths.
 */
import { createHash, hash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { parseSkill, type ParsedSkill } from './parse-skill.ts';

export type SkillFile = { path: string; content: Buffer; isExecutable: boolean };

export type SkillFolder = ParsedSkill & {
  name: string;
  folder: string;
  sha256: string;
  files: readonly SkillFile[];
  notes: readonly string[];
};

export type SkillProblems = { name: string; folder: string; problems: readonly string[] };

export const SKILL_FILE = 'SKILL.md';
export const SKILL_LIMITS = { files: 500, bytes: 20 * 1024 * 1024, depth: 8, instructions: 256 * 1024 } as const;

/** The skill in a folder, or why it is none. `name` is the name that the folder will have, if it is not its own. */
export function readSkillFolder(folder: string, name = basename(resolve(folder))): SkillFolder | SkillProblems {
  const place = { name, folder: resolve(folder) };
  const files: SkillFile[] = [];
  const problems: string[] = [];
  collectFiles(place.folder, '', files, problems);
  if (problems.length > 0) return { ...place, problems };
  return skillFrom(files, place);
}

/** The same for files that were read from elsewhere. */
export function skillFrom(
  files: readonly SkillFile[],
  place: { name: string; folder: string },
): SkillFolder | SkillProblems {
  const main = files.find(({ path }) => path === SKILL_FILE);
  if (main === undefined) return { ...place, problems: [missingFile(files)] };
  if (main.content.length > SKILL_LIMITS.instructions)
    return { ...place, problems: [`SKILL.md is larger than ${SKILL_LIMITS.instructions / 1024} KB`] };
  const { skill, problems, notes } = parseSkill(main.content.toString('utf8'), place.name);
  if (skill === null) return { ...place, problems };
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { ...place, ...skill, sha256: hashFiles(sorted), files: sorted, notes };
}

function missingFile(files: readonly SkillFile[]): string {
  const near = files.find(({ path }) => path.toLowerCase() === 'skill.md');
  return near === undefined
    ? 'there is no file SKILL.md in it'
    : `its file is called ${near.path}; rename it to SKILL.md`;
}

function hashFiles(files: readonly SkillFile[]): string {
  const all = createHash('sha256');
  for (const { path, content, isExecutable } of files)
    all.update(`${JSON.stringify(path)} ${isExecutable ? 'x' : '-'} ${hash('sha256', content)}\n`);
  return all.digest('hex');
}

function collectFiles(top: string, inside: string, files: SkillFile[], problems: string[]): void {
  if (inside.split('/').length > SKILL_LIMITS.depth) {
    problems.push(`${inside} is nested deeper than ${SKILL_LIMITS.depth} folders`);
    return;
  }
  for (const entry of listFolder(join(top, inside), problems)) {
    if (problems.length > 0) return;
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== '.git') collectFiles(top, path, files, problems);
    } else if (entry.isSymbolicLink()) problems.push(`${path} is a link; copy what it points to into the skill`);
    else if (entry.isFile()) addFile(top, path, files, problems);
    else problems.push(`${path} is neither a file nor a folder`);
  }
}

function listFolder(folder: string, problems: string[]): ReturnType<typeof readEntries> {
  try {
    if (lstatSync(folder).isSymbolicLink()) throw new Error('it is a link');
    return readEntries(folder);
  } catch (error) {
    problems.push(`the folder cannot be read: ${errnoOf(error) ?? 'it is a link'}`);
    return [];
  }
}

const readEntries = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));

function addFile(top: string, path: string, files: SkillFile[], problems: string[]): void {
  const total = files.reduce((sum, { content }) => sum + content.length, 0);
  if (files.length >= SKILL_LIMITS.files) problems.push(`it has more than ${SKILL_LIMITS.files} files`);
  else if (/\p{C}/u.test(path)) problems.push('the name of a file contains control characters');
  else {
    const read = readBounded(join(top, path), SKILL_LIMITS.bytes - total);
    if (typeof read === 'string') problems.push(`${path} ${read}`);
    else files.push({ path, ...read });
  }
}

/** Opened without following a link, so that it cannot be swapped for one after it was listed. */
function readBounded(file: string, most: number): Omit<SkillFile, 'path'> | string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return `cannot be read (${errnoOf(error) ?? 'unknown'})`;
  }
  try {
    const { size, mode } = fstatSync(fd);
    if (size > most) return `is too large: a skill may have ${SKILL_LIMITS.bytes / 1024 / 1024} MB in all`;
    return { content: readFileSync(fd), isExecutable: (mode & 0o111) !== 0 };
  } finally {
    closeSync(fd);
  }
}
