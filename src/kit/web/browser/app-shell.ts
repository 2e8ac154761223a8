/** What is around every page: the navigation, the state of the connection, notices and the list of keys. */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './components/icon.ts';
import { Dialog } from './components/modal.ts';
import { Notices } from './components/notices.ts';
import { Problem } from './components/problem-box.ts';
import { html } from './html.ts';
import { type Key, listenToKeys, viewKeys } from './keys.ts';
import { connected } from './live-events.ts';
import { isLoading, reloadSoon, shown } from './page-data.ts';
import type { Palette as PaletteView } from './palette.ts';
import { navigate, route } from './router.ts';
import { addressOf, type PageEntry, start } from './start.ts';
import { t } from './words.ts';

const SEARCH = 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5';
const MORE = 'M5 12h.01M12 12h.01M19 12h.01';
const navigation = start.pages
  .filter(({ nav }) => nav !== null)
  .toSorted((a, b) => (a.nav?.order ?? 0) - (b.nav?.order ?? 0));

export function Shell(): VNode {
  const isHelpOpen = useSignal(false);
  const isMenuOpen = useSignal(false);
  const showKeys = (): void => void (isHelpOpen.value = true);
  useLayoutEffect(() => listenToKeys(() => globalKeys(showKeys)), []); // before anybody sees the page
  const palette = useSignal<typeof PaletteView | null>(null);
  const openPalette = (): void => void import('./palette.ts').then(({ Palette }) => (palette.value = Palette));
  useLayoutEffect(() => listenToControlK(openPalette), []);
  return html`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="bar">
      <a class="brand" href=${addressOf('/')} aria-label="oka, now">oka</a>
      <button class="search-all" type="button" aria-keyshortcuts="Control+K" onClick=${openPalette}><${Icon} path=${SEARCH} /><span>Search</span> <kbd>Ctrl K</kbd></button>
      <nav aria-label="Pages">
        ${navigation.map((page) => html`<${PageLink} key=${page.name} page=${page} />`)}
        <button class="quiet more" type="button" onClick=${() => (isMenuOpen.value = true)}><${Icon} path=${MORE} />More</button>
      </nav>
      ${start.rights === 'read' ? html`<span class="tag">read only</span>` : null}
      ${connected.value ? null : html`<span class="tag warn" role="status">connecting…</span>`}
      <button class="quiet help" type="button" aria-label="Keys" title="Keys (?)" onClick=${() => (isHelpOpen.value = true)}>?</button>
    </header>
    <${Main} />
    <${Notices} />
    ${isMenuOpen.value ? html`<${Menu} onClose=${() => (isMenuOpen.value = false)} />` : null}
    ${palette.value === null ? null : html`<${palette.value} showKeys=${showKeys} onClose=${() => (palette.value = null)} />`}
    ${isHelpOpen.value ? html`<${KeyList} onClose=${() => (isHelpOpen.value = false)} />` : null}
  `;
}

function PageLink({ page: { name, path, title, nav } }: { page: PageEntry }): VNode {
  const isHere = route.value.page?.name === name || (path !== '/' && route.value.page?.path.startsWith(`${path}/`));
  return html`<a href=${addressOf(path)} class=${nav?.isOnPhone === true ? 'on-phone' : null} aria-current=${isHere ? 'page' : null}><${Icon} path=${nav?.icon ?? ''} />${title}</a>`;
}

/** The pages that have no place in the bar of a narrow screen. */
function Menu({ onClose }: { onClose: () => void }): VNode {
  return html`<${Dialog} title="More" onClose=${onClose}>
    <nav class="menu" aria-label="More pages" onClick=${onClose}>
      ${navigation.filter(({ nav }) => nav?.isOnPhone === false).map((page) => html`<${PageLink} key=${page.name} page=${page} />`)}
    </nav>
  <//>`;
}

function Main(): VNode {
  const main = useRef<HTMLElement>(null);
  const now = shown.value;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = now === null;
  }, [now?.page.name]);
  return html`<main id="main" tabindex="-1" ref=${main} aria-busy=${isLoading.value ? 'true' : 'false'}>${content()}</main>`;
}

function content(): VNode | null {
  const now = shown.value;
  if (route.value.page === null)
    return html`<h1>Nothing here</h1><${Problem} error=${{ code: 'usage', message: t('There is no such page.'), fix: t('Choose one above.') }} />`;
  if (now === null) return null;
  if (now.error !== undefined) return html`<h1>${now.page.title}</h1><${Problem} error=${now.error} />`;
  return html`<${now.view.default} key=${now.page.name} data=${now.data} params=${now.params} reload=${reloadSoon} />`;
}

function globalKeys(openHelp: () => void): Key[] {
  return [
    ...navigation.map(({ nav, path, title }) => ({ key: `g ${nav?.key}`, does: title, run: () => navigate(path) })),
    { key: '/', does: t('Search on this page'), run: focusSearch },
    { key: 'Ctrl+K', does: t('Search everything, or do something'), run: () => undefined },
    { key: '?', does: t('These keys'), run: openHelp },
  ];
}

/** Also while a person is typing somewhere; not over a dialog that asks something. */
function listenToControlK(open: () => void): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    open();
  });
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) navigate('/runs');
  else field.focus();
}

function KeyList({ onClose }: { onClose: () => void }): VNode {
  const list = (keys: readonly Key[]): VNode =>
    html`<dl class="keys">${keys.map(({ key, does }) => html`<dt>${key.split(' ').map((each) => html`<kbd>${each}</kbd> `)}</dt><dd>${does}</dd>`)}</dl>`;
  return html`<${Dialog} title="Keys" onClose=${onClose}>
    ${viewKeys.value.length === 0 ? null : html`<h3>On this page</h3>${list(viewKeys.value)}`}
    <h3>Everywhere</h3>
    ${list(globalKeys(() => undefined))}
  <//>`;
}
