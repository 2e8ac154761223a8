/** Owns: the tools `skill.use` and `skill.read`, which show a worker the texts of a skill. */
import { z } from 'zod';
import type { Tool } from '../../core/schema/tool.ts';
import { SKILL_FILE, type SkillFolder } from './skill-folder.ts';
import { defineTool, failure, ok } from '../define-tool.ts';

/** Returns the accepted content of a skill; throws an OkaError when it cannot be used. */
export type UseSkill = (name: string) => SkillFolder;

export const SkillName = z.string().min(1).max(64).describe('Name of the skill.');

const MOST_BYTES = 40_000;

export function skillTextTools(use: UseSkill): Tool[] {
  return [skillUseTool(use), skillReadTool(use)];
}

const Text = {
  skill: z.string().describe('Which skill.'),
  path: z.string().describe('The file that the text is from.'),
  sha256: z.string().describe('Hash of the content of the skill.'),
  text: z.string().describe('The text; when it is long, its beginning.'),
  next: z.int().optional().describe('Where the rest begins, for `from` of skill.read.'),
};

function skillUseTool(use: UseSkill): Tool {
  return defineTool({
    name: 'skill.use',
    about: 'Gives the instructions of a skill and the names of its files.',
    input: z.strictObject({ skill: SkillName }),
    output: z.strictObject({ ...Text, files: z.array(z.string()).describe('All files of the skill.') }),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: ({ skill: name }) => {
      const { body, sha256, files } = use(name);
      const { text, next } = cutText(body, 0);
      return ok({
        skill: name,
        path: SKILL_FILE,
        sha256,
        text,
        ...(next === null ? {} : { next }),
        files: files.map(({ path }) => path),
      });
    },
  });
}

function skillReadTool(use: UseSkill): Tool {
  return defineTool({
    name: 'skill.read',
    about: 'Reads a further file of a skill, such as references/format.md.',
    input: z.strictObject({
      skill: SkillName,
      path: z.string().min(1).max(1000).describe('The file, as skill.use names it.'),
      from: z.int().nonnegative().default(0).describe('Where to begin, for the rest of a long file.'),
    }),
    output: z.strictObject(Text),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: ({ skill: name, path, from }) => {
      const { files, body, sha256 } = use(name);
      const file = files.find((each) => each.path === path);
      if (file === undefined)
        throw failure(`${name} has no file ${path}`, `It has: ${files.map((each) => each.path).join(', ')}`);
      if (file.content.includes(0)) throw failure(`${path} is no text`, 'Let a script of the skill read it.');
      const { text, next } = cutText(path === SKILL_FILE ? body : file.content.toString('utf8'), from);
      return ok({ skill: name, path, sha256, text, ...(next === null ? {} : { next }) });
    },
  });
}

function cutText(text: string, from: number): { text: string; next: number | null } {
  const part = text.slice(from, from + MOST_BYTES);
  return { text: part, next: from + part.length < text.length ? from + part.length : null };
}
