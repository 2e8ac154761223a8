/** A new task about a file of the desk: a sentence, with suggestions for its kind. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { notice } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { postTask } from '../../../../kit/web/browser/tasks/post-task.ts';
import type { FilesAnswer } from '../files-answer.ts';
import { t } from '../../../../kit/web/browser/words.ts';

type File = NonNullable<FilesAnswer['file']>;

const IDEAS: Readonly<Partial<Record<File['shown'], readonly string[]>>> = {
  table: [
    t('Summarize it on one page, with a chart'),
    t('Find rows that look wrong'),
    t('Make a total for each month'),
  ],
  image: [t('Describe what it shows'), t('Make a small copy for the web')],
  markdown: [t('Correct spelling and grammar'), t('Summarize it in five sentences')],
  json: [t('Explain what is in it'), t('Make a table of it')],
};
const OTHERS = [t('Summarize it in five sentences'), t('List what has to be done')];

export async function askWhatToDo({ path, shown, name }: File): Promise<void> {
  const text = signal('');
  const isSure = await askConfirmation({
    title: t('What should be done with {}?', name),
    content: html`<${Words} text=${text} ideas=${IDEAS[shown] ?? OTHERS} />`,
    yes: t('Do it'),
  });
  if (!isSure || text.value.trim() === '') return;
  const [added] = await postTask({
    text: `${text.value.trim()}\n\n${t('The file is `{}` on the desk.', path)}\n`,
    every: '',
    files: [],
  });
  notice(t('Added: {}', added?.title ?? name));
}

function Words({ text, ideas }: { text: { value: string }; ideas: readonly string[] }): VNode {
  return html`<div class="stack">
    <textarea rows="3" aria-label="What should be done" placeholder="Such as: ${ideas[0]}" autofocus value=${text.value} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea>
    <p class="row ideas">${ideas.map((idea) => html`<button key=${idea} type="button" onClick=${() => (text.value = idea)}>${idea}</button>`)}</p>
  </div>`;
}
