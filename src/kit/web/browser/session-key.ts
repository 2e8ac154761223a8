/**
 * Owns: what this browser proves itself with besides its cookie. A cookie goes to every port of a machine, so whoever
 * listens on another one could learn it; this key is kept for our origin alone and sent with every request as a header.
 * What cannot carry a header (pictures, frames, downloads, streams) carries a ticket, which is over in a few minutes.
 */
import { computed, signal } from '@preact/signals';
import { addressOf, start } from './start.ts';

const NAME = `oka ${start.base}`;
const REFRESH_MS = 4 * 60_000;
const ticket = signal('');
/** Whether `addressWithTicket` gives addresses that work. */
export const hasTicket = computed(() => ticket.value !== '');

export const sessionKey = (): string => localStorage.getItem(NAME) ?? '';

/** Also for the worker that shows notifications, which sees no localStorage. */
export async function keepSessionKey(key: string): Promise<void> {
  localStorage.setItem(NAME, key);
  if (!('caches' in globalThis)) return; // only over HTTPS and on this machine; so are notifications
  const kept = await caches.open('oka').catch(() => null);
  // then notifications have no link that is signed in
  await kept?.put(addressOf('/session-key'), new Response(key)).catch(() => undefined);
}

/** Asks the server in the session of this browser. */
export function askServer(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), 'X-Oka-Key': sessionKey() };
  return fetch(addressOf(path), { credentials: 'same-origin', ...init, headers });
}

/** The full address of a path of ours for a link, a picture or a frame. */
export const addressWithTicket = (path: string): string =>
  `${addressOf(path)}${path.includes('?') ? '&' : '?'}ticket=${ticket.value}`;

export async function openTickets(): Promise<void> {
  setInterval(() => void renewTicket(), REFRESH_MS);
  document.addEventListener('visibilitychange', () =>
    document.visibilityState === 'visible' ? void renewTicket() : undefined,
  );
  await renewTicket();
}

async function renewTicket(): Promise<void> {
  const answer = await askServer('/api/v1/ticket').catch(() => null); // the next one comes soon
  if (answer?.ok === true) ticket.value = ((await answer.json()) as { ticket: string }).ticket;
}
