/** The service worker of the dashboard: it shows messages of oka while no page is open. It caches nothing. */

type Action = { action: string; title: string };
type Shown = { title?: string; body?: string; url?: string | null; tag?: string; channel?: string; actions?: Action[] };
type Kept = { url?: string | null; channel?: string };
type PushEvent = Event & { data: { json: () => unknown } | null; waitUntil: (work: Promise<unknown>) => void };
type ClickEvent = Event & {
  /** The button that was pressed; empty for the message itself. */
  action: string;
  notification: { close: () => void; data: unknown };
  waitUntil: (work: Promise<unknown>) => void;
};
/** What a service worker has and a page has not. */
type Scope = {
  registration: { scope: string; showNotification: (title: string, options: object) => Promise<void> };
  clients: { openWindow: (url: string) => Promise<unknown> };
  Notification: { maxActions?: number };
};
const scope = globalThis as unknown as Scope;

addEventListener('push', (event) => {
  const { data, waitUntil } = event as PushEvent;
  const { title = 'oka', body = '', url = null, tag = 'oka', channel, actions = [] } = (data?.json() ?? {}) as Shown;
  // A choice without some of its options would be a choice that oka has made.
  const shown = actions.length <= (scope.Notification.maxActions ?? 0) ? actions : [];
  const options = { body, tag, renotify: true, data: { url, channel }, actions: shown };
  waitUntil.call(event, scope.registration.showNotification(title, options));
});

addEventListener('notificationclick', (event) => {
  const { notification, action, waitUntil } = event as ClickEvent;
  notification.close();
  const { url, channel } = (notification.data ?? {}) as Kept;
  waitUntil.call(event, action === '' || channel === undefined ? open(url) : answer(channel, action, url));
});

/** A message may only lead into the dashboard itself. */
function open(url: string | null | undefined): Promise<unknown> {
  const { scope: home } = scope.registration;
  return scope.clients.openWindow(typeof url === 'string' && url.startsWith(home) ? url : home);
}

/** The answer goes to the dashboard, in the session of this browser; where that has ended, the question is opened instead. */
async function answer(channel: string, token: string, url: string | null | undefined): Promise<unknown> {
  const kept = await (await caches.open('oka')).match(new URL('session-key', scope.registration.scope));
  const key = (await kept?.text()) ?? '';
  const response = await fetch(new URL('api/v1/intakes', scope.registration.scope), {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json', 'X-Oka-Key': key },
    body: JSON.stringify({ kind: 'push', channel, token }),
  }).catch(() => null);
  return response?.ok === true ? undefined : open(url);
}
