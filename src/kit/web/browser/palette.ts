/** Ctrl-K: one field that finds everything there is, opens pages and takes new work. Loaded when it is first opened. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { get } from './api.ts';
import { Icon } from './components/icon.ts';
import { attempt, notice } from './components/notices.ts';
import { html } from './html.ts';
import { navigate } from './router.ts';
import { start } from './start.ts';
import { postTask } from './tasks/post-task.ts';
import { t } from './words.ts';

type Found = { kind: string; title: string; detail: string; path: string };
type Choice = { group: string; title: string; detail: string; run: () => void };

const PAUSE_MS = 120;
const SEARCH = 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5';
const GROUPS: Readonly<Record<string, string>> = {
  wait: t('Needs you'),
  run: t('Runs'),
  file: t('Files'),
  conversation: t('Conversations'),
  fact: t('What oka knows'),
  procedure: t('Procedures'),
  graph: t('Graphs'),
};

/** Things with other names than their pages have. */
const PLACES = [
  { title: t('Set up a language model'), path: '/setup', words: t('settings provider key') },
  {
    title: t('See what is allowed: the policy, rule by rule'),
    path: '/settings',
    words: t('settings rules secrets sessions channels mcp servers folders'),
  },
  { title: t('See what was learned lately'), path: '/memory/learned', words: t('memory undo') },
  { title: t('Look at notes about files'), path: '/tree', words: t('context frames workspace') },
  { title: t('Compare two runs'), path: '/compare', words: t('difference') },
  { title: t('Procedures'), path: '/memory/procedures', words: t('habits learned') },
];

export function Palette({ onClose, showKeys }: { onClose: () => void; showKeys: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const found = useSignal<readonly Found[]>([]);
  const at = useSignal(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => findWhileTyping(text.value.trim(), (all) => (found.value = all)), [text.value]);
  const choices = useMemo(() => choicesFor(text.value.trim(), found.value, showKeys), [text.value, found.value]);
  const chosen = Math.min(at.value, choices.length - 1);
  useEffect(() => document.getElementById(`choice-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  const choose = (choice: Choice | undefined): void => {
    dialog.current?.close();
    choice?.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) at.value = (chosen + by + choices.length) % Math.max(1, choices.length);
    else if (event.key === 'Enter') choose(choices[chosen]);
    else return;
    event.preventDefault();
  };
  const onInput = (event: InputEvent): void => {
    text.value = (event.target as HTMLInputElement).value;
    at.value = 0;
  };
  return html`<dialog class="palette" ref=${dialog} aria-label="Search or do" onClose=${onClose} onClick=${(event: MouseEvent) => (event.target === dialog.current ? dialog.current?.close() : undefined)}>
    <div class="row"><${Icon} path=${SEARCH} />
      <input autofocus role="combobox" aria-label="Search, or say what to do" aria-expanded="true" aria-controls="choices" aria-activedescendant=${choices.length === 0 ? null : `choice-${chosen}`} autocomplete="off" spellcheck=${false} placeholder="Search, or say what to do" value=${text.value} onInput=${onInput} onKeyDown=${onKey} />
      <kbd>Esc</kbd>
    </div>
    <ul id="choices" role="listbox" aria-label="What was found">
      ${choices.map(
        ({ group, title, detail }, index) =>
          html`${group !== choices[index - 1]?.group && html`<li role="presentation">${group}</li>`}
          <li id=${`choice-${index}`} role="option" aria-selected=${index === chosen ? 'true' : 'false'} onMouseMove=${() => (at.value = index)} onClick=${() => choose(choices[index])}>
            <span class="one-line">${title}</span>${detail !== '' && html`<small class="one-line">${detail}</small>`}
          </li>`,
      )}
    </ul>
  </dialog>`;
}

/** What was found stays until there is something newer. */
function findWhileTyping(text: string, take: (found: readonly Found[]) => void): (() => void) | undefined {
  if (text === '') {
    take([]);
    return undefined;
  }
  const stop = new AbortController();
  const timer = setTimeout(() => {
    void get<{ found: Found[] }>('find', { text }, stop.signal).then(
      ({ found }) => take(found),
      () => undefined, // another one follows, or the page says that the dashboard is away
    );
  }, PAUSE_MS);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

function choicesFor(text: string, found: readonly Found[], showKeys: () => void): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = (given: string): boolean => words.every((word) => given.toLowerCase().includes(word));
  const things = found.map(({ kind, title, detail, path }) => ({
    group: GROUPS[kind] ?? kind,
    title,
    detail,
    run: () => navigate(path),
  }));
  const pages = start.pages
    .filter(({ nav, title }) => nav !== null && hasAll(title))
    .toSorted((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0))
    .map(({ title, path, nav }) => ({
      group: t('Pages'),
      title,
      detail: `g ${nav?.key}`,
      run: () => navigate(path),
    }));
  const isAsked = words.length > 0;
  const places = PLACES.filter((place) => isAsked && hasAll(`${place.title} ${place.words}`)).map(
    ({ title, path }) => ({ group: t('Pages'), title, detail: '', run: () => navigate(path) }),
  );
  const keys = hasAll(t('keys shortcuts help'))
    ? [{ group: t('Pages'), title: t('Keys'), detail: '?', run: showKeys }]
    : [];
  const task =
    isAsked && start.rights === 'all'
      ? [{ group: t('New task'), title: text, detail: t('begins at once'), run: () => void addTask(text) }]
      : [];
  const others = [...things, ...pages, ...places, ...keys];
  return words.length > 3 && things.length === 0 ? [...task, ...others] : [...others, ...task];
}

async function addTask(text: string): Promise<void> {
  await attempt(async () => {
    const [added] = await postTask({ text, every: '', files: [] });
    notice(t('Added: {}', added?.title ?? text));
  });
}
