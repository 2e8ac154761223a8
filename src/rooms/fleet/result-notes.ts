/** What RESULT.md also says about a task that another member of the fleet did: what did not travel, and conflicts. Pure. */
import type { PutOnDesk } from './put-on-desk.ts';
import type { LeftOut } from './run-folder.ts';

/** Of a list; the rest is a number. */
const MOST_LISTED = 50;

/** Empty when everything travels. */
export function notSentNote(member: string, task: string, left: readonly LeftOut[]): string {
  if (left.length === 0) return '';
  const lines = left.map(({ path, why }) => `- ${quoted(path)}: ${why}`);
  return section('Not sent', `These files stay at ${quoted(member)}, in its folder ${quoted(`desk/${task}`)}:`, lines);
}

/** Empty when all files of the result are in the folder of the task. */
export function deskNote(task: string, { name, conflicts, leftOut }: PutOnDesk): string {
  const folder = quoted(`desk/${task}`);
  const elsewhere =
    name === task
      ? ''
      : section('Elsewhere', `${folder} was there before: the files are in ${quoted(`desk/${name}`)}.`, []);
  const both = `These files of ${folder} were changed by this task and here. They are as they were here:`;
  const lines = conflicts.map(
    ({ path, why, beside }) =>
      `- ${quoted(path)}: ${why}${beside === null ? '' : `; the version of this task is ${quoted(`desk/${beside}`)}`}`,
  );
  const programs = 'These files make other programs run, and were not put onto the desk:';
  return [
    elsewhere,
    lines.length === 0 ? '' : section('Conflicts', both, lines),
    leftOut.length === 0
      ? ''
      : section(
          'Left out',
          programs,
          leftOut.map((path) => `- ${quoted(path)}`),
        ),
  ].join('');
}

function section(title: string, sentence: string, lines: readonly string[]): string {
  const more = lines.length > MOST_LISTED ? [`- and ${lines.length - MOST_LISTED} more`] : [];
  const list = [...lines.slice(0, MOST_LISTED), ...more];
  return `\n## ${title}\n\n${sentence}\n${list.length === 0 ? '' : `\n${list.join('\n')}\n`}`;
}

/** Names are made by commands: nothing in them may look like markup. */
const quoted = (name: string): string => `\`${name.replaceAll(/[^\p{L}\p{N} ._/@+,=-]/gu, '?')}\``;
