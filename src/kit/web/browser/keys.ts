/** Everything by keyboard: keys of the dashboard, and of the view that is shown. `?` lists them. */
import { signal } from '@preact/signals';

/** `key` is one key ('a'), or two one after the other ('g r'). */
export type Key = { key: string; does: string; run: () => void };

export const viewKeys = signal<readonly Key[]>([]);
const SEQUENCE_MS = 1200;

export function listenToKeys(globalKeys: () => readonly Key[]): void {
  let before = { key: '', at: 0 };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const isSecond = event.timeStamp - before.at < SEQUENCE_MS;
    const typed = isSecond && before.key !== '' ? `${before.key} ${event.key}` : event.key;
    const all = [...viewKeys.value, ...globalKeys()];
    const found = all.find(({ key }) => key === typed) ?? all.find(({ key }) => key === event.key);
    before = { key: event.key, at: event.timeStamp };
    if (found === undefined) return;
    before = { key: '', at: 0 };
    event.preventDefault();
    found.run();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
