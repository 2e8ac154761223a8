/** Where new work gets in: a sentence, files and folders, and when it is to be done again. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, get } from '../../../kit/web/browser/api.ts';
import { momentInWords } from '../../../kit/web/browser/components/day-words.ts';
import { countOf } from '../../../kit/web/browser/components/format-figures.ts';
import { notice, noticeError } from '../../../kit/web/browser/components/notices.ts';
import { Problem } from '../../../kit/web/browser/components/problem-box.ts';
import { html } from '../../../kit/web/browser/html.ts';
import { addressOf, type ShownError } from '../../../kit/web/browser/start.ts';
import { type Chosen, readChosen, readDropped } from '../../../kit/web/browser/tasks/dropped-entries.ts';
import { postTask } from '../../../kit/web/browser/tasks/post-task.ts';
import { WhenField } from '../../../kit/web/browser/tasks/when-field.ts';
import { t } from '../../../kit/web/browser/words.ts';

const files = signal<readonly Chosen[]>([]);
const text = signal('');
const every = signal('');
/** Whether times in the sentence are only words of it. */
const isOnce = signal(false);

/** Puts a whole task into the box, to be read and changed before it is sent. */
export function proposeTask(given: string): void {
  text.value = given;
  focusTaskBox();
}

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
      const meant = await meaningOf(text.value);
      const isAgain = meant.kind === 'schedule' && every.value.trim() === '' && !isOnce.value;
      const words = isAgain ? { text: meant.text, every: meant.every } : { text: text.value, every: every.value };
      const added = await postTask({ ...words, files: files.value });
      for (const { title, next } of added)
        notice(t('Added: {}{}', title, next[0] === undefined ? '' : t('. First: {}', next[0])));
      [text.value, every.value, files.value, isOnce.value] = ['', '', [], false];
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
      aria-describedby="task-meaning" onKeyDown=${(event: KeyboardEvent) => (isSending.value || event.key !== 'Enter' || event.shiftKey || event.isComposing ? undefined : void send(event))}></textarea>
    <${FileList} />
    <${Meaning} />
    ${problem.value === null ? null : html`<${Problem} error=${problem.value} />`}
    <div class="row tools">
      <${FileButton} label="Files…" isFolder=${false} />
      <${FileButton} label="Folder…" isFolder=${true} />
      <${WhenField} label="Repeat" every=${every} />
      <button type="submit" class="primary" disabled=${isSending.value}>${every.value.trim() === '' ? t('Do it') : t('Schedule it')}</button>
    </div>
  </form>`;
}

type Meant = { kind: 'task'; text: string } | { kind: 'schedule'; text: string; every: string; next: string[] };

const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const PAUSE_MS = 250;

/** A text of several lines, or with its commands written out, is taken as it is. */
const meaningOf = async (given: string, stop?: AbortSignal): Promise<Meant> =>
  given.trim() === '' || given.trim().includes('\n')
    ? { kind: 'task', text: given }
    : get<Meant>('understand', { text: given.trim(), timezone: ownZone }, stop);

/** What Enter will do, said before it is pressed. */
function Meaning(): VNode {
  const meant = useSignal<Meant | null>(null);
  const given = text.value;
  useEffect(() => {
    if (given.trim() === '') {
      meant.value = null;
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void meaningOf(given, stop.signal).then(
        (found) => (meant.value = found),
        () => undefined, // whoever sends it sees why
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [given]);
  const now = meant.value;
  const isAgain = now?.kind === 'schedule' && every.value.trim() === '';
  const withFiles = files.value.length === 0 ? '' : t(', with {}', countOf(files.value.length, 'file'));
  return html`<p id="task-meaning" class="meaning row" aria-live="polite">${
    given.trim() === '' && isTable(files.value)
      ? html`<kbd>Enter</kbd> <span><strong>draws a chart and writes a summary</strong> of one page. Or say what else you would like.</span>`
      : given.trim() === '' || now === null
        ? null
        : html`<kbd>Enter</kbd> <span>${
            isAgain && !isOnce.value
              ? html`<strong>${t('schedules it {}', `${now.every.charAt(0).toLowerCase()}${now.every.slice(1)}`)}</strong>, ${now.next[0] === undefined ? '' : t('first {}', momentInWords(now.next[0]))}${withFiles}: ${now.text}`
              : every.value.trim() !== ''
                ? html`<strong>schedules it</strong>${withFiles}`
                : isQuestion(given)
                  ? html`<strong>finds the answer</strong>${withFiles}. To talk about it, open <a href=${addressOf('/chat')}>a conversation</a>.`
                  : html`<strong>begins it now</strong>${withFiles}`
          }</span>
        ${isAgain ? html`<button type="button" class="quiet" onClick=${() => (isOnce.value = !isOnce.value)}>${isOnce.value ? t('Schedule it') : t('Only once, now')}</button>` : null}`
  }</p>`;
}

/** Of one table, oka makes a chart and a summary without being told. */
const isTable = ([first, ...more]: readonly Chosen[]): boolean =>
  first !== undefined && more.length === 0 && /\.(?:csv|tsv)$/i.test(first.path);

const isQuestion = (given: string): boolean => /\?\s*$/.test(given) && !given.trim().includes('\n');

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
