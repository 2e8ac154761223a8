/**
 * The part of the list of runs that the browser has. Without a filter the length is known, and any place is read by its
 * number; with one, further pages follow the last one. New runs push the others down: places move, nothing is lost.
 */
import { signal } from '@preact/signals';
import type { RunsPage, RunSummary } from '../../../../core/schema/view-answers.ts';
import { get, type Params } from '../../../../kit/web/browser/api.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';

export type LoadedRuns = {
  /** The filters that it is about. */
  key: string;
  params: Params;
  /** By place, from the latest; places in between may not be there yet. */
  byPlace: ReadonlyMap<number, RunSummary>;
  length: number;
  isLengthKnown: boolean;
  /** Where a filtered list goes on; null at its end. */
  next: number | null;
  pinned: readonly RunSummary[];
};

const PAGE = 100;

export const loaded = signal<LoadedRuns | null>(null);

/** Pages whose content may have changed since they were read. */
const stale = new Set<number>();
const inFlight = new Set<string>();
/** Counts first pages: each may have moved the places. */
let turn = 0;

/** Takes over what the page was given. Returns by how many places the runs that were there have moved down. */
export function takeFirstPage(page: RunsPage, params: Params): number {
  turn += 1;
  const before = loaded.value;
  const key = JSON.stringify(params);
  const isSame = before !== null && before.key === key;
  const moved = isSame ? placesMoved(before, page) : 0;
  const byPlace = new Map<number, RunSummary>();
  if (isSame && moved !== null) for (const [place, run] of before.byPlace) byPlace.set(place + moved, run);
  page.runs.forEach((run, place) => byPlace.set(place, run));
  const isLengthKnown = page.total !== null;
  const isLonger =
    isSame && moved !== null && !isLengthKnown && page.next !== null && before.length + moved > page.runs.length;
  stale.clear();
  if (isLengthKnown)
    for (const place of byPlace.keys()) if (place >= page.runs.length) stale.add(Math.floor(place / PAGE));
  loaded.value = {
    key,
    params,
    byPlace,
    isLengthKnown,
    length: page.total ?? (isLonger ? before.length + moved : page.runs.length),
    next: isLonger ? before.next : page.next,
    pinned: page.pinned,
  };
  return moved ?? 0;
}

/** Where the first run that was there is now; null when it has gone from the first page. */
function placesMoved(before: LoadedRuns, page: RunsPage): number | null {
  const first = before.byPlace.get(0);
  if (first === undefined) return 0;
  const place = page.runs.findIndex(({ run }) => run === first.run);
  return place === -1 ? null : place;
}

/** Reads the places from `first` to `last` that are not there, or may have changed. */
export function wantPlaces(first: number, last: number): void {
  const now = loaded.value;
  if (now === null) return;
  if (!now.isLengthKnown) {
    if (last >= now.length - PAGE / 2 && now.next !== null) void readNext(now);
    return;
  }
  for (let number = Math.floor(first / PAGE); number * PAGE <= last; number += 1) {
    const isThere = now.byPlace.has(number * PAGE) && now.byPlace.has(Math.min((number + 1) * PAGE, now.length) - 1);
    if (number * PAGE < now.length && (!isThere || stale.has(number))) void readPage(now, number);
  }
}

async function readPage({ key, params }: LoadedRuns, number: number): Promise<void> {
  await once(`${key} ${number}`, async () => {
    const mine = turn;
    const { runs } = await get<RunsPage>('runs', { ...params, skip: number * PAGE, limit: PAGE });
    if (mine === turn) stale.delete(number);
    else stale.add(number); // places may have moved while it was read, so it is read again
    put(key, runs, number * PAGE, {});
  });
}

async function readNext({ key, params, next, length }: LoadedRuns): Promise<void> {
  await once(`${key} after ${next}`, async () => {
    const page = await get<RunsPage>('runs', { ...params, after: next, limit: PAGE });
    put(key, page.runs, length, { next: page.next, length: length + page.runs.length });
  });
}

function put(key: string, runs: readonly RunSummary[], from: number, more: Partial<LoadedRuns>): void {
  const now = loaded.value;
  if (now === null || now.key !== key || (more.length !== undefined && now.length !== from)) return;
  const byPlace = new Map(now.byPlace);
  runs.forEach((run, index) => byPlace.set(from + index, run));
  loaded.value = { ...now, byPlace, ...more };
}

async function once(name: string, read: () => Promise<void>): Promise<void> {
  if (inFlight.has(name)) return;
  inFlight.add(name);
  try {
    await read();
  } catch (error) {
    noticeError(error);
  } finally {
    inFlight.delete(name);
  }
}
