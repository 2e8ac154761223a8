/**
 * Owns: the skills of a home: where they are, which of them can be used, and taking one into use.
 *
 * 1. Of two skills with one name the first counts: .oka/skills, then workspace/skills, then the folders of config.json.
 * 2. A skill whose content differs from what was accepted is not used until a person has accepted it.
 * 3. A folder on the desk is no source of skills, since commands write there.
 */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { nearestWord } from '../../core/schema/nearest-word.ts';
import { ConfigWithSkills, type SkillsConfig } from '../../core/schema/skill.ts';
import { readSkillFolder, type SkillFolder } from '../../kit/skills/skill-folder.ts';
import { openSkillStore, type SkillStore } from './skill-store.ts';
import { parseConfig } from '../../kit/settings.ts';

export type SkillStatus =
  /** Its content was accepted. */
  | 'ready'
  /** It was never used; its first use accepts it. */
  | 'new'
  /** It is not what was accepted. */
  | 'changed'
  /** It cannot be read as a skill, or its pin cannot be read. */
  | 'broken'
  /** Another skill of this name comes first. */
  | 'duplicate';

export type FoundSkill = {
  name: string;
  folder: string;
  status: SkillStatus;
  /** What is wrong. */
  problems: readonly string[];
  notes: readonly string[];
  /** Null when it cannot be read. */
  skill: SkillFolder | null;
};

/** More than these are not read. */
const MOST_SKILLS = 1000;

export const skillFolderIn = (home: Home): string => join(home.oka, 'skills');

export const skillStoreIn = (home: Home): SkillStore => openSkillStore(join(home.oka, 'state', 'skills'));

export async function skillsConfigOf(home: Home): Promise<SkillsConfig> {
  return (await parseConfig(home, ConfigWithSkills)).skills;
}

export function findSkills(home: Home, { folders }: SkillsConfig, store = skillStoreIn(home)): FoundSkill[] {
  const found = new Map<string, FoundSkill>();
  const all: FoundSkill[] = [];
  for (const folder of skillPlaces(home, folders))
    for (const name of namesIn(folder).slice(0, MOST_SKILLS - all.length)) {
      const skill = examineSkill(home, join(folder, name), store);
      const first = found.get(skill.name);
      if (first === undefined) found.set(skill.name, skill);
      all.push(first === undefined ? skill : asDuplicate(skill, first));
    }
  return all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The folders that contain skills, in the order in which they count (1). */
export function skillPlaces(home: Home, folders: readonly string[]): string[] {
  return [
    skillFolderIn(home),
    join(home.workspace, 'skills'),
    ...folders.map((folder) => (isAbsolute(folder) ? folder : resolve(home.dir, folder))),
  ];
}

function asDuplicate(skill: FoundSkill, first: FoundSkill): FoundSkill {
  const problems = [`there is another skill ${skill.name}, in ${first.folder}, which counts`];
  return { ...skill, status: 'duplicate', problems };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return []; // it is not there, which is usual; `oka skills check` names folders of config.json that are not
  }
}

function examineSkill(home: Home, folder: string, store: SkillStore): FoundSkill {
  const read = readSkillFolder(folder);
  const { name } = read;
  if (isOnDesk(home, folder))
    return broken(name, folder, ['it is on the desk, where commands write; move it to workspace/skills']);
  if ('problems' in read) return broken(name, folder, read.problems);
  const pin = store.pinOf(name);
  const { notes } = read;
  switch (pin.kind) {
    case 'none':
      return { name, folder, status: 'new', problems: [], notes, skill: read };
    case 'unreadable':
      return broken(name, folder, [pin.why], read);
    case 'pinned':
      if (pin.pin.sha256 === read.sha256) return { name, folder, status: 'ready', problems: [], notes, skill: read };
      return {
        name,
        folder,
        status: 'changed',
        problems: [
          `it was changed since it was accepted (${pin.pin.at.slice(0, 10)}); read it: oka skills show ${name} --diff`,
        ],
        notes,
        skill: read,
      };
  }
}

const broken = (
  name: string,
  folder: string,
  problems: readonly string[],
  skill: SkillFolder | null = null,
): FoundSkill => ({ name, folder, status: 'broken', problems, notes: [], skill });

function isOnDesk(home: Home, folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  const inside = relative(realDesk(home), realpathSync(folder));
  return inside === '' || (!inside.startsWith('..') && !isAbsolute(inside));
}

function realDesk(home: Home): string {
  const desk = join(home.workspace, 'desk');
  return lstatSync(desk, { throwIfNoEntry: false }) === undefined ? desk : realpathSync(desk);
}

/** The skill of this name that counts; throws when there is none. */
export function skillNamed(skills: readonly FoundSkill[], name: string): FoundSkill {
  const skill = skills.find((each) => each.name === name && each.status !== 'duplicate');
  if (skill !== undefined) return skill;
  const near = nearestWord(
    name,
    skills.map((each) => each.name),
  );
  throw new OkaError('usage', `there is no skill "${name}"`, {
    fix: near === null ? 'List them: oka skills list' : `Did you mean ${near}? List them: oka skills list`,
  });
}

/** The accepted content of a skill; a new skill is accepted now (2). */
export function useSkill(found: FoundSkill, store: SkillStore, now: number): SkillFolder {
  switch (found.status) {
    case 'new':
      if (found.skill !== null) store.accept(found.skill, 'first-use', now);
      return store.accepted(found.name);
    case 'ready':
      return store.accepted(found.name);
    case 'changed':
    case 'broken':
    case 'duplicate':
      throw new OkaError('refused', `the skill ${found.name} cannot be used: ${found.problems.join('; ')}`, {
        fix:
          found.status === 'changed'
            ? `A person accepts it as it is now: oka skills show ${found.name} --accept`
            : `See: oka skills check ${found.name}`,
      });
  }
}
