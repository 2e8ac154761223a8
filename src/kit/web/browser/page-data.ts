/** The view and the data of the page that is shown, and reading the data again when something happened. */
import { effect, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { ApiError, get } from './api.ts';
import { type Key, viewKeys } from './keys.ts';
import { type LedgerEvent, onEvents, onReset } from './live-events.ts';
import { route, type Route } from './router.ts';
import { type PageEntry, type ShownError, start } from './start.ts';

/** What a view gets. `reload` reads its data again. */
export type ViewProps<T> = { data: T; params: Readonly<Record<string, string>>; reload: () => void };

/** What the module of a view exports. */
type ViewModule = {
  default: ComponentType<ViewProps<never>>;
  /** Whether an event may change what is shown; without it, every event may. */
  isChangedBy?: (event: LedgerEvent, params: Readonly<Record<string, string>>) => boolean;
  keys?: readonly Key[];
};

type Shown = {
  page: PageEntry;
  params: Readonly<Record<string, string>>;
  view: ViewModule;
  data?: unknown;
  error?: ShownError;
};

/** The page as it is on the screen; the one before stays until the next one is there. */
export const shown = signal<Shown | null>(null);
export const isLoading = signal(false);

/** Data is read again at most so often while things happen. */
const PAUSE_MS = 120;
const RELOAD_MS = 1000;

let first = start.first;
let turn = 0;
let timer: ReturnType<typeof setTimeout> | null = null;
let isReading = false;
/** Something happened that the data on the screen, or on its way, may not have. */
let isStale = false;
let last = 0;

export function showPages(): void {
  effect(() => void open(route.value));
  onEvents((events) => {
    const now = isLoading.value ? null : shown.value; // what the page to come shows is not known yet
    const isChangedBy = now?.view.isChangedBy;
    if (isChangedBy === undefined || events.some((event) => isChangedBy(event, now?.params ?? {}))) reloadSoon();
  });
  onReset(reloadSoon);
  document.addEventListener('visibilitychange', () => (isStale ? reloadSoon() : undefined));
}

/** Reads the data of the page again, at once or together with what follows soon. A page nobody sees waits. */
export function reloadSoon(): void {
  isStale = true;
  if (document.visibilityState === 'hidden' || timer !== null || isReading || isLoading.value) return;
  timer = setTimeout(() => void reload(), Math.max(0, last + PAUSE_MS - performance.now()));
}

async function reload(): Promise<void> {
  timer = null;
  const now = shown.value;
  if (now === null || isLoading.value) return;
  const mine = turn;
  isStale = false;
  isReading = true;
  try {
    const answer = await read(now.page.name, now.params);
    const isOffline = answer.error?.code === 'offline' && now.error === undefined;
    const isStillShown = mine === turn && shown.value === now; // another page may have come while this one was read
    if (isStillShown && !isOffline) shown.value = { page: now.page, params: now.params, view: now.view, ...answer };
  } finally {
    isReading = false;
    last = performance.now();
    if (isStale) reloadSoon(); // what happened while it was read may be missing from the answer
  }
}

async function open({ page, params }: Route): Promise<void> {
  turn += 1;
  const mine = turn;
  isStale = false;
  if (page === null) {
    shown.value = null;
    isLoading.value = false;
    return;
  }
  isLoading.value = true;
  addStyles(page.styles);
  const [view, answer] = await Promise.all([loadView(page), firstOr(page, params)]);
  if (mine !== turn) return;
  isLoading.value = false;
  viewKeys.value = view.keys ?? [];
  document.title = `${page.title} · oka`;
  shown.value = { page, params, view, ...answer };
  if (isStale) reloadSoon();
}

/** A module that cannot be loaded is of another version of the dashboard, or the network failed: the whole page starts over. */
async function loadView({ view }: PageEntry): Promise<ViewModule> {
  try {
    return (await import(view)) as ViewModule;
  } catch {
    setTimeout(() => location.reload(), RELOAD_MS);
    return new Promise(() => undefined);
  }
}

type Answer = { data: unknown; error?: never } | { error: ShownError; data?: never };

function firstOr(page: PageEntry, params: Record<string, string>): Promise<Answer> {
  const sent = first;
  first = null;
  if (sent === null || sent.name !== page.name) return read(page.name, params);
  return Promise.resolve(sent.error === undefined ? { data: sent.data } : { error: sent.error });
}

async function read(name: string, params: Readonly<Record<string, string>>): Promise<Answer> {
  try {
    return { data: await get(name, params) };
  } catch (error) {
    if (error instanceof ApiError)
      return {
        error: { code: error.code, message: error.message, ...(error.fix === undefined ? {} : { fix: error.fix }) },
      };
    throw error;
  }
}

function addStyles(styles: readonly string[]): void {
  for (const href of styles) {
    if (document.querySelector(`link[href="${CSS.escape(href)}"]`) !== null) continue;
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    document.head.append(link);
  }
}
