/** Where new work gets in: a sentence, files and folders, and when it is to be done again. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../../kit/web/browser/api.ts';
import { notice, noticeError } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import type { ShownError } from '../../../kit/web/browser/start.ts';
import { type Chosen, readChosen, readDropped } from '../../../kit/web/browser/tasks/dropped-entries.ts';
import { postTask } from '../../../kit/web/browser/tasks/post-task.ts';
import { WhenField } from '../../../kit/web/browser/tasks/when-field.ts';

const files = signal<readonly Chosen[]>([]);
const text = signal('');
const every = signal('');

export const focusTaskBox = (): void => document.getElementById('task-text')?.focus();

export function TaskBox({ onAdded }: { onAdded: () => void }): VNode {
  const isOver = useSignal(false);
  const isSending = useSignal(false);
  const problem = useSignal<ShownError | null>(null);

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    isSending.value = true;
    problem.value = null;
    try {
      const added = await postTask({ text: text.value, every: every.value, files: files.value });
      for (const { title, next } of added)
        notice(`Added: ${title}${next[0] === undefined ? '' : `. First: ${next[0]}`}`);
      [text.value, every.value, files.value] = ['', '', []];
      onAdded();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = toShown(error);
    } finally {
      isSending.value = false;
    }
  }

  useEffect(() => listenToDrops(isOver), []);
  return html`<form class=${isOver.value ? 'card task-box chosen' : 'card task-box'} aria-label="New task" onSubmit=${send}>
    <label class="hidden" for="task-text">What would you like done?</label>
    <textarea id="task-text" rows="2" placeholder="What would you like done? Drop files or a folder here, too." value=${text.value}
      onInput=${(event: InputEvent) => (text.value = (event.target as HTMLTextAreaElement).value)}
      onKeyDown=${(event: KeyboardEvent) => (event.key === 'Enter' && (event.ctrlKey || event.metaKey) ? void send(event) : undefined)}></textarea>
    <${FileList} />
    ${problem.value === null ? null : html`<${Problem} error=${problem.value} />`}
    <div class="row tools">
      <${FileButton} label="Files…" isFolder=${false} />
      <${FileButton} label="Folder…" isFolder=${true} />
      <${WhenField} label="Repeat" every=${every} />
      <button type="submit" class="primary" disabled=${isSending.value}>${every.value.trim() === '' ? 'Do it' : 'Schedule it'}</button>
    </div>
  </form>`;
}

/** Files may be dropped anywhere on the page; beside the box, the browser would open them in place of it. */
function listenToDrops(isOver: Signal<boolean>): () => void {
  const stop = new AbortController();
  const listen = (type: 'dragover' | 'drop', act: (data: DataTransfer) => void): void =>
    addEventListener(
      type,
      (event) => {
        if (event.dataTransfer?.types.includes('Files') !== true) return; // such as words that are dragged into the field
        event.preventDefault();
        act(event.dataTransfer);
      },
      stop,
    );
  listen('dragover', () => (isOver.value = true));
  listen('drop', (data) => {
    isOver.value = false;
    void readDropped(data).then((dropped) => (files.value = [...files.value, ...dropped]), noticeError);
  });
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) isOver.value = false; // out of the window
  };
  addEventListener('dragleave', leave, stop);
  return () => stop.abort();
}

const toShown = ({ code, message, fix }: ApiError): ShownError => ({
  code,
  message,
  ...(fix === undefined ? {} : { fix }),
});

const MOST_LISTED = 5;

function FileList(): VNode | null {
  const all = files.value;
  if (all.length === 0) return null;
  const more = all.length - MOST_LISTED;
  return html`<p class="row files">
    ${all.slice(0, MOST_LISTED).map(({ path }) => html`<span class="tag" key=${path}>${path}</span>`)}
    ${more > 0 ? html`<span class="tag number">and ${more} more</span>` : null}
    <button type="button" class="quiet" onClick=${() => (files.value = [])}>Remove</button>
  </p>`;
}

function FileButton({ label, isFolder }: { label: string; isFolder: boolean }): VNode {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFolder) input.current?.setAttribute('webkitdirectory', '');
  }, []);
  const take = (): void => {
    files.value = [...files.value, ...readChosen(input.current?.files ?? [])];
    if (input.current !== null) input.current.value = '';
  };
  return html`<input class="hidden" type="file" multiple tabindex="-1" aria-label=${label} ref=${input} onChange=${take} />
    <button type="button" onClick=${() => input.current?.click()}>${label}</button>`;
}
