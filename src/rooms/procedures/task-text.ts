/** The text of a task as procedures see it: everything a person wrote about it, in a fixed order. */
import type { TaskGiven } from '../../core/schema/task-run.ts';

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

/** What a runbook says around its steps. */
export function withoutFences(body: string): string {
  const rest: string[] = [];
  let fence: string | null = null;
  for (const line of body.split('\n')) {
    const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null && marks === '') rest.push(line);
    else if (fence === null) fence = marks;
    else if (marks.startsWith(fence)) fence = null;
  }
  return rest
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
