/** What RESULT.md also says about a task that another member of the fleet did: what did not travel, and conflicts. Pure. */
import type { LeftOut, PlacedFolder } from './run-folder.ts';

/** Of a list; the rest is a number. */
const MOST_LISTED = 50;

/** Empty when everything travels. */
export function notSentNote(member: string, task: string, left: readonly LeftOut[]): string {
  if (left.length === 0) return '';
  const lines = left.map(({ path, why }) => `- ${quoted(path)}: ${why}`);
  return section('Not sent', `These files stay at ${quoted(member)}, in its folder ${quoted(`desk/${task}`)}:`, lines);
}

/** Empty when the files are where they are expected, and all of them. */
export function conflictNote(task: string, { name, different }: PlacedFolder, leftOut: readonly string[]): string {
  const isElsewhere = name !== task;
  const moved = `${quoted(`desk/${task}`)} was there before with other contents, and was not touched. The files of this task are in ${quoted(`desk/${name}`)}.`;
  const where = isElsewhere
    ? section(
        'Conflicts',
        `${moved}${different.length === 0 ? '' : ' These differ:'}`,
        different.map((path) => `- ${quoted(path)}`),
      )
    : '';
  const programs = 'These files make other programs run, and were not put onto the desk:';
  return `${where}${
    leftOut.length === 0
      ? ''
      : section(
          'Left out',
          programs,
          leftOut.map((path) => `- ${quoted(path)}`),
        )
  }`;
}

function section(title: string, sentence: string, lines: readonly string[]): string {
  const more = lines.length > MOST_LISTED ? [`- and ${lines.length - MOST_LISTED} more`] : [];
  const list = [...lines.slice(0, MOST_LISTED), ...more];
  return `\n## ${title}\n\n${sentence}\n${list.length === 0 ? '' : `\n${list.join('\n')}\n`}`;
}

/** Names are made by commands: nothing in them may look like markup. */
const quoted = (name: string): string => `\`${name.replaceAll(/[^\p{L}\p{N} ._/@+,=-]/gu, '?')}\``;
