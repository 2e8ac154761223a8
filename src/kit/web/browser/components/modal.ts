/** A dialog over the page; Escape closes it, and focus returns to where it was. */
import { signal } from '@preact/signals';
import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { t } from '../words.ts';

export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children?: ComponentChildren;
}): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" onClose=${onClose} onClick=${(event: MouseEvent) => (event.target === dialog.current ? dialog.current?.close() : undefined)}>
    <div class="dialog">
      <header><h2 id="dialog-title">${title}</h2><button type="button" class="quiet" aria-label="Close" onClick=${() => dialog.current?.close()}>×</button></header>
      ${children}
    </div>
  </dialog>`;
}

export type Question = { title: string; content: ComponentChildren; yes: string; no?: string; isDangerous?: boolean };

/** Asks, and resolves to whether the person said yes. */
export function askConfirmation({
  title,
  content,
  yes,
  no = t('Cancel'),
  isDangerous = false,
}: Question): Promise<boolean> {
  const place = document.createElement('div');
  document.body.append(place);
  const said = signal(false);
  return new Promise((resolve) => {
    const close = (): void => {
      render(null, place);
      place.remove();
      resolve(said.value);
    };
    const answer = (event: MouseEvent, isYes: boolean): void => {
      said.value = isYes;
      (event.target as HTMLElement).closest('dialog')?.close();
    };
    render(
      html`<${Dialog} title=${title} onClose=${close}>
        <div class="dialog-content">${content}</div>
        <footer>
          <button type="button" onClick=${(event: MouseEvent) => answer(event, false)}>${no}</button>
          <button type="button" class=${isDangerous ? 'danger' : 'primary'} onClick=${(event: MouseEvent) => answer(event, true)}>${yes}</button>
        </footer>
      <//>`,
      place,
    );
  });
}
