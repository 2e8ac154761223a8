import { findSkills, type FoundSkill, skillNamed, skillsConfigOf, skillStoreIn } from '../home-skills.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { SkillHeader } from '../../../core/schema/skill.ts';
import { compareSkills, type SkillChange } from '../compare-skills.ts';
import type { SkillFolder } from '../../../kit/skills/skill-folder.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { bytes, plainText } from '../../../kit/cli/plain-text.ts';
import { colourSkillStatus } from '../skill-status.ts';

type Data = Pick<FoundSkill, 'name' | 'status' | 'folder' | 'problems' | 'notes'> & {
  sha256: string;
  header: SkillHeader;
  instructions: string;
  files: { path: string; bytes: number; executable: boolean }[];
  /** Null where nothing was asked for, or nothing was accepted before. */
  changes: SkillChange[] | null;
  accepted: boolean;
};

export async function run(call: Call<{ diff: boolean; accept: boolean }>): Promise<Answer<Data>> {
  const { home, options } = call;
  const store = skillStoreIn(home);
  const found = skillNamed(
    findSkills(home, await skillsConfigOf(home), store),
    onlyOperand(call, 'the name of a skill'),
  );
  const { skill } = found;
  if (skill === null)
    throw new OkaError(
      'invalid-file',
      `${found.folder} is not a skill:\n${found.problems.map((each) => `  ${each}`).join('\n')}`,
    );
  const changes = options.diff ? changesSince(found, skill, store) : null;
  if (options.accept) store.accept(skill, 'person', Date.now());
  const { name, folder, notes } = found;
  return answer({
    name,
    folder,
    notes,
    status: options.accept ? 'ready' : found.status,
    problems: options.accept ? [] : found.problems,
    sha256: skill.sha256,
    header: skill.header,
    instructions: skill.body,
    files: skill.files.map(({ path, content, isExecutable }) => ({
      path,
      bytes: content.length,
      executable: isExecutable,
    })),
    changes,
    accepted: options.accept,
  });
}

/** Null when nothing was accepted before, or what was accepted cannot be read any more: then all of it has to be read. */
function changesSince(
  { name }: FoundSkill,
  skill: SkillFolder,
  store: ReturnType<typeof skillStoreIn>,
): SkillChange[] | null {
  if (store.pinOf(name).kind === 'none') return null;
  try {
    return compareSkills(store.accepted(name).files, skill.files);
  } catch (error) {
    if (error instanceof OkaError) return null;
    throw error;
  }
}

export function render(data: Data, terminal: Terminal): string {
  const { name, status, folder, problems, notes, accepted, changes } = data;
  const lines = [
    `${terminal.bold(name)}  ${colourSkillStatus(status, terminal)}`,
    plainText(data.header.description),
    terminal.dim(plainText(folder)),
    ...[...problems, ...notes].map((each) => plainText(each)),
    '',
    ...(changes === null ? contentLines(data, terminal) : changeLines(changes, terminal)),
    ...(accepted ? ['', 'Accepted as it is now.'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function contentLines({ instructions, files }: Data, { dim }: Terminal): string[] {
  return [
    ...instructions.trim().split('\n').map(harmless),
    '',
    ...files.map(({ path, bytes: size, executable }) =>
      dim(`${plainText(path)}  ${bytes(size)}${executable ? ', can be executed' : ''}`),
    ),
  ];
}

function changeLines(changes: readonly SkillChange[], { bold, green, red }: Terminal): string[] {
  if (changes.length === 0) return ['Nothing has changed since it was accepted.'];
  return changes.flatMap(({ path, change, lines }) => [
    bold(`${plainText(path)}: ${change}`),
    ...lines
      .map(harmless)
      .map((line) => (line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line)),
  ]);
}

/** The line with its indentation; characters that steer a terminal or hide text are shown as a dot. */
const harmless = (line: string): string => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
