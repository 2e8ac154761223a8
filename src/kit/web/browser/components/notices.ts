/** Short messages about what was just done; they go away by themselves, a refusal stays until it is closed. */
import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { ApiError } from '../api.ts';
import { html } from '../html.ts';

type Notice = { id: number; text: string; fix?: string; isBad: boolean };

const notices = signal<readonly Notice[]>([]);
const SHOWN_MS = 6000;
let next = 1;

export function notice(text: string): void {
  const id = add({ text, isBad: false });
  setTimeout(() => close(id), SHOWN_MS);
}

export function noticeError(error: unknown): void {
  if (error instanceof ApiError)
    add({ text: error.message, ...(error.fix === undefined ? {} : { fix: error.fix }), isBad: true });
  else throw error;
}

/** Does something that may be refused, and says so. True when it was done. */
export async function attempt(act: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await act();
    if (done !== undefined) notice(done);
    return true;
  } catch (error) {
    noticeError(error);
    return false;
  }
}

export function Notices(): VNode {
  return html`<div class="notices" role="status" aria-live="polite">
    ${notices.value.map(
      ({ id, text, fix, isBad }) => html`<div key=${id} class=${isBad ? 'notice bad' : 'notice'}>
        <p>${text}${fix === undefined ? null : html`<br /><span class="fix">${fix}</span>`}</p>
        <button type="button" class="quiet" aria-label="Close" onClick=${() => close(id)}>×</button>
      </div>`,
    )}
  </div>`;
}

function add(given: Omit<Notice, 'id'>): number {
  const id = next++;
  notices.value = [...notices.value.slice(-4), { ...given, id }];
  return id;
}

const close = (id: number): void => void (notices.value = notices.value.filter((each) => each.id !== id));
