/** A new task about a file of the desk: a sentence, with suggestions for its kind. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { postTask } from '../../../../kit/web/browser/tasks/post-task.ts';
import type { FilesAnswer } from '../files-answer.ts';

type File = NonNullable<FilesAnswer['file']>;

const IDEAS: Readonly<Partial<Record<File['shown'], readonly string[]>>> = {
  table: ['Summarize it on one page, with a chart', 'Find rows that look wrong', 'Make a total for each month'],
  image: ['Describe what it shows', 'Make a small copy for the web'],
  markdown: ['Correct spelling and grammar', 'Summarize it in five sentences'],
  json: ['Explain what is in it', 'Make a table of it'],
};
const OTHERS = ['Summarize it in five sentences', 'List what has to be done'];

export async function askWhatToDo({ path, shown, name }: File): Promise<void> {
  const text = signal('');
  const isSure = await askConfirmation({
    title: `What should be done with ${name}?`,
    content: html`<${Words} text=${text} ideas=${IDEAS[shown] ?? OTHERS} />`,
    yes: 'Do it',
  });
  if (!isSure || text.value.trim() === '') return;
  const [added] = await postTask({
    text: `${text.value.trim()}\n\nThe file is \`${path}\` on the desk.\n`,
    every: '',
    files: [],
  });
  notice(`Added: ${added?.title ?? name}`);
}

function Words({ text, ideas }: { text: { value: string }; ideas: readonly string[] }): VNode {
  return html`<div class="stack">
    <textarea rows="3" aria-label="What should be done" placeholder="Such as: ${ideas[0]}" autofocus value=${text.value} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea>
    <p class="row ideas">${ideas.map((idea) => html`<button key=${idea} type="button" onClick=${() => (text.value = idea)}>${idea}</button>`)}</p>
  </div>`;
}
