/** What the query `now` answers, and what of it is chosen by keyboard. */
import { signal } from '@preact/signals';
import type { CurrentRun, RunSummary } from '../../../core/schema/view-answers.ts';
import { type Awaited, chosenId } from '../../../kit/web/browser/answers/chosen-wait.ts';

export type Recent = Pick<RunSummary, 'run' | 'title' | 'status' | 'started' | 'ended' | 'reason' | 'cost'> & {
  line: string | null;
  files: string[];
  picture: string | null;
};

export type NowData = {
  at: string;
  worker: 'running' | 'paused' | 'stopped' | 'silent' | 'none';
  model: string | null;
  offers_setup: boolean;
  rules_problem: string | null;
  history_problem: { what: string; fix: string } | null;
  today: { done: number; not_done: number; usd: number; tokens: number };
  running: CurrentRun[];
  waiting: Awaited[];
  recent: Recent[];
  rejected: { total: number; entries: { name: string; reason: string }[] };
  untaken: { total: number; names: string[]; why: string | null };
  schedules: { schedule: string; reason: string }[];
  suggestions: { title: string; text: string }[];
};

/** Something that `j` and `k` move to; `wait` when it waits for a person. */
export type Choosable = { id: string; run: string; wait: Awaited | null };

export const choosable = signal<readonly Choosable[]>([]);

export const chosenItem = (): Choosable | null => choosable.value.find(({ id }) => id === chosenId.value) ?? null;

/** Moves by so many places; from nowhere to the first. */
export function move(by: number): void {
  const all = choosable.value;
  const at = all.findIndex(({ id }) => id === chosenId.value);
  const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
  if (next === undefined) return;
  chosenId.value = next.id;
  document.getElementById(`item-${next.id}`)?.scrollIntoView({ block: 'nearest' });
}
