/** The text of a task as procedures see it: all that a person said about it, in one order. */
import type { TaskGiven } from '../../schema/task-run.ts';

export type TaskSaid = {
  title?: string | undefined;
  accept?: readonly string[] | undefined;
  mode?: string | undefined;
};

/** What a person wrote above the text and a plan may depend on. */
export const saidIn = ({ fields: { title, accept, mode } }: Pick<TaskGiven, 'fields'>): TaskSaid => ({
  ...(title === undefined ? {} : { title }),
  ...(accept === undefined ? {} : { accept }),
  ...(mode === undefined ? {} : { mode }),
});

/** A title that was only made from the name of the file says nothing. */
export function taskText({ title, accept = [], mode }: TaskSaid, dir: string | null, body: string): string {
  const lines = [
    ...(dir === null || dir === '.' ? [] : [`dir: ${oneLine(dir)}`]),
    ...(mode === undefined ? [] : [`mode: ${mode}`]),
    ...(title === undefined ? [] : [`title: ${oneLine(title)}`]),
    ...accept.map((each) => `accept: ${oneLine(each)}`),
    body.trim(),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
