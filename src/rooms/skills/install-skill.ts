/** Owns: putting a skill from a folder or an archive into .oka/skills, and removing one. */
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lstatIfPresent, makeFolder, writeNewFile } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { readArchive } from './read-archive.ts';
import { parseSkill } from '../../kit/skills/parse-skill.ts';
import {
  readSkillFolder,
  SKILL_FILE,
  type SkillFile,
  skillFrom,
  type SkillFolder,
  type SkillProblems,
} from '../../kit/skills/skill-folder.ts';
import { type FoundSkill, skillFolderIn, skillStoreIn } from './home-skills.ts';

const MOST_ARCHIVE_BYTES = 40 * 1024 * 1024;

/** The skill at a path: a folder, a zip file or a tar file. Throws with every problem. */
export function readSkillSource(path: string): SkillFolder {
  const stat = lstatIfPresent(path);
  if (stat === undefined) throw new OkaError('usage', `${path} does not exist`);
  const read = stat.isDirectory() ? readNamedFolder(path) : readArchivedSkill(path, stat);
  if ('problems' in read)
    throw new OkaError(
      'invalid-file',
      `${path} is not a skill:\n${read.problems.map((each) => `  ${each}`).join('\n')}`,
      {
        fix: 'The specification is at agentskills.io; docs/SKILLS.md has it in short.',
      },
    );
  return read;
}

/** A folder may have another name than the skill in it, as after unpacking; it gets the name of the skill. */
function readNamedFolder(path: string): SkillFolder | SkillProblems {
  const read = readSkillFolder(path);
  const file = join(path, SKILL_FILE);
  if (!('problems' in read) || lstatIfPresent(file)?.isFile() !== true) return read;
  return readSkillFolder(path, ownName(readFileSync(file, 'utf8')) ?? read.name);
}

function readArchivedSkill(path: string, stat: { isFile: () => boolean; size: number }): SkillFolder | SkillProblems {
  if (!stat.isFile()) throw new OkaError('usage', `${path} is neither a folder nor a file`);
  if (stat.size > MOST_ARCHIVE_BYTES)
    throw new OkaError('unsafe-file', `${path} is larger than ${MOST_ARCHIVE_BYTES / 1024 / 1024} MB`);
  const files = belowSkillFile(readArchive(readFileSync(path), basename(path)));
  const main = files.find((file) => file.path === SKILL_FILE);
  const name = main === undefined ? null : ownName(main.content.toString('utf8'));
  return skillFrom(files, { name: name ?? basename(path), folder: path });
}

/** Archives have the skill at their top, or one folder below it. */
function belowSkillFile(files: readonly SkillFile[]): SkillFile[] {
  const main =
    files.find(({ path }) => path === SKILL_FILE) ?? files.find(({ path }) => /^[^/]+\/SKILL\.md$/.test(path));
  const top = main === undefined || main.path === SKILL_FILE ? '' : `${dirname(main.path)}/`;
  return files.flatMap((file) => (file.path.startsWith(top) ? [{ ...file, path: file.path.slice(top.length) }] : []));
}

/** The name that SKILL.md gives, as far as it can be read. */
function ownName(text: string): string | null {
  const name = /^name:\s*["']?([a-z0-9-]{1,64})["']?\s*$/m.exec(text)?.[1];
  return name !== undefined && parseSkill(text, name).skill !== null ? name : null;
}

/** Writes it into .oka/skills and accepts its content. */
export function installSkill(home: Home, skill: SkillFolder, isReplacing: boolean): { folder: string; sha256: string } {
  const folder = join(skillFolderIn(home), skill.name);
  if (lstatIfPresent(folder) !== undefined && !isReplacing)
    throw new OkaError('usage', `there is a skill ${skill.name} already, in ${folder}`, {
      fix: `Compare them with oka skills show ${skill.name}, and use --replace if this one is to take its place.`,
    });
  const fresh = join(skillFolderIn(home), `.${skill.name}.${process.pid}.tmp`);
  rmSync(fresh, { recursive: true, force: true });
  try {
    for (const { path, content, isExecutable } of skill.files) {
      makeFolder(dirname(join(fresh, path)));
      writeNewFile(join(fresh, path), content, { mode: isExecutable ? 0o755 : 0o644 });
    }
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  const { sha256 } = skillStoreIn(home).accept({ ...skill, folder }, 'person', Date.now());
  return { folder, sha256 };
}

/** Removes the folder of a skill of this home, and what is known about it. */
export function removeSkill(home: Home, { name, folder }: FoundSkill): void {
  const own = [skillFolderIn(home), join(home.workspace, 'skills')];
  if (!own.includes(dirname(folder)))
    throw new OkaError('refused', `${folder} is in a folder that config.json names`, {
      fix: 'Delete the folder yourself, or remove its parent from "skills" in .oka/rules/config.json.',
    });
  rmSync(folder, { recursive: true, force: true });
  skillStoreIn(home).forget(name);
}
