/** What the reader does in the list: where the cursor is, which runs are selected, and what is unfolded. */
import { signal } from '@preact/signals';
import type { RunSummary } from '../../../../core/schema/view-answers.ts';
import { get } from '../../../../kit/web/browser/api.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';
import { loaded } from './loaded-runs.ts';

type Related = { inside: RunSummary[]; earlier: RunSummary[] };
/** A line of the list: a run at its place, a run that is folded under one, or a place that is not read yet. */
type Line = { place: number; run: RunSummary | null; under: string | null };

export const cursor = signal<string | null>(null);
export const selected = signal<ReadonlySet<string>>(new Set());
export const unfolded = signal<ReadonlyMap<string, Related>>(new Map());

export function toggleSelected(run: string): void {
  const next = new Set(selected.value);
  if (!next.delete(run)) next.add(run);
  selected.value = next;
}

export async function toggleFold(run: string): Promise<void> {
  const next = new Map(unfolded.value);
  if (next.delete(run)) {
    unfolded.value = next;
    return;
  }
  try {
    const related = await get<Related>('runs-related', { run });
    unfolded.value = new Map(unfolded.value).set(run, related);
  } catch (error) {
    noticeError(error);
  }
}

/** Whether there may be something to unfold. */
export const hasFolded = ({ related, schedule }: RunSummary): boolean => related > 0 || schedule !== undefined;

const linesUnder = (run: string): RunSummary[] => {
  const related = unfolded.value.get(run);
  return related === undefined ? [] : [...related.inside, ...related.earlier];
};

/** The unfolded runs of the list by place, from the first on, with the lines under each. */
function unfoldedPlaces(): { place: number; run: string; lines: RunSummary[] }[] {
  const { byPlace } = loaded.value ?? { byPlace: new Map<number, RunSummary>() };
  if (unfolded.value.size === 0) return [];
  return [...byPlace]
    .filter(([, { run }]) => unfolded.value.has(run))
    .map(([place, { run }]) => ({ place, run, lines: linesUnder(run) }))
    .toSorted((a, b) => a.place - b.place);
}

export function countLines(): number {
  return (loaded.value?.length ?? 0) + unfoldedPlaces().reduce((sum, { lines }) => sum + lines.length, 0);
}

/** The lines from `first` to `last`, counted with what is unfolded. */
export function readLines(first: number, last: number): { at: number; line: Line }[] {
  const now = loaded.value;
  if (now === null) return [];
  const places = unfoldedPlaces();
  const found: { at: number; line: Line }[] = [];
  let extra = 0;
  let next = 0;
  for (let place = 0; place < now.length; place += 1) {
    const open = places[next];
    const isOpen = open?.place === place;
    const at = place + extra;
    if (at > last) break;
    if (!isOpen && at < first) {
      place = Math.min(open?.place ?? Number.POSITIVE_INFINITY, first - extra) - 1; // straight to what is next
      continue;
    }
    if (at >= first) found.push({ at, line: { place, run: now.byPlace.get(place) ?? null, under: null } });
    if (!isOpen) continue;
    open.lines.forEach((run, index) => {
      const below = at + 1 + index;
      if (below >= first && below <= last) found.push({ at: below, line: { place, run, under: open.run } });
    });
    extra += open.lines.length;
    next += 1;
  }
  return found;
}
