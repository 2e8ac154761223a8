/** Owns: what differs between two versions of a skill, file by file and line by line, for a person. */
import { diffLines } from '../../kit/desk/merge-lines.ts';
import type { SkillFile } from '../../kit/skills/skill-folder.ts';

export type SkillChange = {
  path: string;
  change: 'added' | 'removed' | 'changed';
  /** Lines that begin with - or +; one sentence where the file is no text. */
  lines: string[];
};

const MOST_LINES = 2000;

export function compareSkills(before: readonly SkillFile[], after: readonly SkillFile[]): SkillChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const current = new Map(after.map((file) => [file.path, file]));
  const paths = [...new Set([...old.keys(), ...current.keys()])].toSorted();
  return paths.flatMap((path): SkillChange[] => {
    const [from, to] = [old.get(path), current.get(path)];
    if (from !== undefined && to !== undefined && from.content.equals(to.content))
      return from.isExecutable === to.isExecutable
        ? []
        : [
            {
              path,
              change: 'changed',
              lines: [to.isExecutable ? 'it can be executed now' : 'it can no longer be executed'],
            },
          ];
    const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
    return [{ path, change, lines: changedLines(from?.content ?? Buffer.alloc(0), to?.content ?? Buffer.alloc(0)) }];
  });
}

function changedLines(before: Buffer, after: Buffer): string[] {
  if ([before, after].some((content) => content.includes(0)))
    return [`it is no text: ${before.length} bytes before, ${after.length} bytes now`];
  const [old, current] = [splitText(before), splitText(after)];
  const hunks = diffLines(old, current) ?? [{ from: 0, to: old.length, start: 0, end: current.length }];
  const lines = hunks.flatMap(({ from, to, start, end }) => [
    ...old.slice(from, to).map((line) => `- ${line}`),
    ...current.slice(start, end).map((line) => `+ ${line}`),
  ]);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more lines; read the file itself`];
}

const splitText = (content: Buffer): string[] => (content.length === 0 ? [] : content.toString('utf8').split('\n'));
