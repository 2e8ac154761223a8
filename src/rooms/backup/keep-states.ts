/** Which backups stay: those of the last day, and the last of each day, week and month as the settings say. Pure. */
import type { BackupConfig } from './backup-config.ts';

const DAY_MS = 86_400_000;

/** `times` of all backups; returns those to keep, among them any from the future: a clock was wrong. */
export function statesToKeep(times: readonly Date[], { days, weeks, months }: BackupConfig['keep'], now: Date): Date[] {
  const newestFirst = times.toSorted((a, b) => b.getTime() - a.getTime());
  const kept = new Set(newestFirst.slice(0, 1));
  for (const at of newestFirst) if (now.getTime() - at.getTime() < DAY_MS) kept.add(at);
  const lastOfEach = (count: number, span: (at: Date) => string): void => {
    const seen = new Set<string>();
    for (const at of newestFirst) {
      if (seen.size >= count && !seen.has(span(at))) break;
      if (!seen.has(span(at)) && seen.size < count) kept.add(at);
      seen.add(span(at));
    }
  };
  lastOfEach(days, dayOf);
  lastOfEach(weeks, (at) => dayOf(new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * DAY_MS)));
  lastOfEach(months, (at) => at.toISOString().slice(0, 7));
  return newestFirst.filter((at) => kept.has(at));
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
