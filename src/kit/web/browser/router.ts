/** Which page is shown. Links are plain links; the browser's own buttons work. */
import { signal } from '@preact/signals';
import { queryString } from './api.ts';
import { findPage } from './match-path.ts';
import { addressOf, type PageEntry, start } from './start.ts';

export type Route = { page: PageEntry | null; params: Record<string, string>; path: string };

export const route = signal<Route>(routeOf(location.href));

/** Opens a page of ours: navigate('/runs/…'). */
export function navigate(path: string, { replace = false } = {}): void {
  const address = addressOf(path);
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  route.value = routeOf(location.href);
  if (!replace) scrollTo(0, 0);
}

/** Changes parameters of the page that is shown, such as filters; null removes one. */
export function setParams(changed: Record<string, string | number | null>): void {
  const { page, params } = route.value;
  if (page === null) return;
  const inPath = new Set(page.path.split('/').flatMap((part) => (part.startsWith(':') ? [part.slice(1)] : [])));
  const rest = Object.fromEntries(Object.entries({ ...params, ...changed }).filter(([name]) => !inPath.has(name)));
  const path = location.pathname.slice(start.base.length - 1);
  navigate(`${path}${queryString(rest)}`, { replace: true });
}

/** Follows links within the dashboard without loading the document again. */
export function followLinks(): void {
  addEventListener('popstate', () => (route.value = routeOf(location.href)));
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    const path = pathOf(link.href);
    if (path === null || findPage(start.pages, path.split('?')[0] ?? '') === null) return;
    event.preventDefault();
    navigate(path);
  });
}

function routeOf(href: string): Route {
  const path = pathOf(href) ?? '/';
  const [name = '/', query = ''] = path.split('?');
  const found = findPage(start.pages, name);
  return {
    page: found?.page ?? null,
    params: { ...Object.fromEntries(new URLSearchParams(query)), ...found?.params },
    path,
  };
}

/** The path of ours, with its query string; null when the address is not ours. */
function pathOf(href: string): string | null {
  const { pathname, search } = new URL(href);
  return pathname.startsWith(start.base) || `${pathname}/` === start.base
    ? `/${pathname.slice(start.base.length)}${search}`
    : null;
}
