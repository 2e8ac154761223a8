/** The text of a task as procedures see it: everything a person wrote about it, in a fixed order. */
import type { TaskGiven } from '../../schema/task-run.ts';

export type TaskFields = {
  title?: string | undefined;
  accept?: readonly string[] | undefined;
  mode?: string | undefined;
};

/** The front matter fields that a plan may depend on. */
export const taskFields = ({ fields: { title, accept, mode } }: Pick<TaskGiven, 'fields'>): TaskFields => ({
  ...(title === undefined ? {} : { title }),
  ...(accept === undefined ? {} : { accept }),
  ...(mode === undefined ? {} : { mode }),
});

/** Leaves out a title that was only derived from the file name. */
export function taskText({ title, accept = [], mode }: TaskFields, dir: string | null, body: string): string {
  const lines = [
    ...(dir === null || dir === '.' ? [] : [`dir: ${toOneLine(dir)}`]),
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(title === undefined ? [] : [`title: ${toOneLine(title)}`]),
    ...accept.map((each) => `accept: ${toOneLine(each)}`),
    body.trim(),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const toOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
