/** The service worker of the dashboard: it shows messages of oka while no page is open. It caches nothing. */

type Shown = { title?: string; body?: string; url?: string | null; tag?: string };
type PushEvent = Event & { data: { json: () => unknown } | null; waitUntil: (work: Promise<unknown>) => void };
type ClickEvent = Event & {
  notification: { close: () => void; data: unknown };
  waitUntil: (work: Promise<unknown>) => void;
};
/** What a service worker has and a page has not. */
type Scope = {
  registration: { scope: string; showNotification: (title: string, options: object) => Promise<void> };
  clients: { openWindow: (url: string) => Promise<unknown> };
};
const scope = globalThis as unknown as Scope;

addEventListener('push', (event) => {
  const { data, waitUntil } = event as PushEvent;
  const { title = 'oka', body = '', url = null, tag = 'oka' } = (data?.json() ?? {}) as Shown;
  waitUntil.call(event, scope.registration.showNotification(title, { body, tag, data: url }));
});

addEventListener('notificationclick', (event) => {
  const { notification, waitUntil } = event as ClickEvent;
  notification.close();
  const { scope: home } = scope.registration;
  const wanted = typeof notification.data === 'string' ? notification.data : home;
  // A message may only lead into the dashboard itself.
  waitUntil.call(event, scope.clients.openWindow(wanted.startsWith(home) ? wanted : home));
});
