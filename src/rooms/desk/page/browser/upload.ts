/**
 * Files that a person adds: with a sentence they are a task, without one they are put into the folder that is shown.
 * Putting is a task too, with its command written out: so it is in the history, and can be undone.
 */
import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { countOf } from '../../../../kit/web/browser/components/format-figures.ts';
import { askConfirmation } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice, noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { html } from '../../../../kit/web/browser/html.ts';
import { type Chosen, readChosen, readDropped } from '../../../../kit/web/browser/tasks/dropped-entries.ts';
import { postTask } from '../../../../kit/web/browser/tasks/post-task.ts';
import { placingTask } from './placing-task.ts';
import { t } from '../../../../kit/web/browser/words.ts';

const MOST_LISTED = 6;

/** Opens the list of files of this computer. */
export const chooseFiles = (): void => document.querySelector<HTMLInputElement>('#added-files')?.click();

export function UploadButton({ folder, onDone }: { folder: string; onDone: () => void }): VNode {
  const input = useRef<HTMLInputElement>(null);
  const take = (): void => {
    const chosen = readChosen(input.current?.files ?? []);
    if (input.current !== null) input.current.value = '';
    void add(chosen, folder).then(onDone);
  };
  return html`<input id="added-files" class="hidden" type="file" multiple tabindex="-1" aria-label="Files to add" ref=${input} onChange=${take} />
    <button type="button" onClick=${chooseFiles}>Add files…</button>`;
}

/** Files may be dropped anywhere on the page. */
export function listenToDrops(isOver: Signal<boolean>, folder: string, onDone: () => void): () => void {
  const stop = new AbortController();
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
  addEventListener(
    'dragover',
    (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    },
    stop,
  );
  addEventListener(
    'drop',
    (event) => {
      isOver.value = false;
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      void readDropped(event.dataTransfer)
        .then((dropped) => add(dropped, folder))
        .then(onDone, noticeError);
    },
    stop,
  );
  addEventListener('dragleave', (event) => (event.relatedTarget === null ? (isOver.value = false) : undefined), stop);
  return () => stop.abort();
}

async function add(files: readonly Chosen[], folder: string): Promise<void> {
  if (files.length === 0) return;
  const text = signal('');
  const place = folder === '' ? t('your desk') : folder;
  const isSure = await askConfirmation({
    title: t('Add {}', countOf(files.length, 'file')),
    content: html`<div class="stack">
      <p class="row">${files.slice(0, MOST_LISTED).map(({ path }) => html`<span class="tag" key=${path}>${path}</span>`)}${files.length > MOST_LISTED && html`<span class="tag number">and ${files.length - MOST_LISTED} more</span>`}</p>
      <label class="field" for="added-words">What should be done with them?</label>
      <textarea id="added-words" rows="3" autofocus placeholder=${t('Leave it empty to put them into {}', place)} onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}></textarea>
    </div>`,
    yes: t('Add'),
  });
  if (!isSure) return;
  await attempt(async () => {
    const words =
      text.value.trim() === ''
        ? placingTask(
            files.map(({ path }) => path),
            folder,
          )
        : text.value;
    const [added] = await postTask({ text: words, every: '', files });
    notice(
      text.value.trim() === ''
        ? t('{} on the way to {}.', countOf(files.length, 'file'), place)
        : t('Added: {}', added?.title ?? ''),
    );
  });
}
