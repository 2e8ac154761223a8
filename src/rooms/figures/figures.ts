/** How well the assistant does, as figures; each with the latest runs behind it. Pure. */
import { daysBetween } from './calendar-days.ts';
import { type DayTally, emptyDay, mergeDays, type Share, type Sum, type Tally } from './day-tally.ts';

export type Unit = 'share' | 'seconds' | 'usd' | 'tokens' | 'count' | 'ratio';

export type Figure = {
  name: string;
  /** Null when there is nothing to say yet. */
  value: number | null;
  unit: Unit;
  /** What the value is made of, for a person. */
  of: string;
  /** The same for each day, from the first to the last; null for a day without any. */
  days: (number | null)[];
  /** Runs to inspect: the latest of those that make the figure what it is, the latest last. */
  runs: string[];
};

export type Metrics = { from: string | null; to: string | null; tasks: number; open: number; figures: Figure[] };

/** `days` by their dates, such as 2026-01-31, and how many tasks there are, also those that are not over. */
export function metricsOf(days: ReadonlyMap<string, DayTally>, tasks: number): Metrics {
  const all = mergeDays([...days.values()]);
  const dates = datesOf(days);
  const none = emptyDay();
  const figure = (name: string, unit: Unit, { value, of, runs }: Measure): Figure => ({
    name,
    unit,
    value: value(all),
    of: of(all),
    runs: runs(all),
    days: dates.map((date) => value(days.get(date) ?? none)),
  });
  return {
    from: dates[0] ?? null,
    to: dates.at(-1) ?? null,
    tasks,
    open: tasks - all.ended,
    figures: [
      figure('completion', 'share', share('completion', 'done', 'ended')),
      figure('rework', 'share', share('rework', 'sent back by the critic and planned again', 'ended')),
      figure('corrections', 'share', share('corrections', 'corrected or undone', 'done')),
      figure('first try', 'share', share('firstTry', 'done at once and left as they were', 'ended')),
      figure('time, median', 'seconds', quantile(0.5)),
      figure('time, p90', 'seconds', quantile(0.9)),
      figure('waited for the desk', 'seconds', sum('desk', 'of tasks behind others in the same place, in all')),
      figure('spend', 'usd', mean('usd')),
      figure('tokens', 'tokens', mean('tokens')),
      figure('reuse', 'share', share('reuse', 'planned from a procedure', 'planned')),
      { ...figure('saved', 'tokens', saved), days: [] },
      { ...figure('pack growth', 'ratio', packGrowth), days: dates.map((date) => median(days.get(date)?.packs ?? [])) },
      figure('approvals', 'count', approvals),
      figure('questions', 'count', sum('questions', 'asked')),
      figure('heals', 'count', sum('heals', 'missing tools installed')),
    ],
  };
}

/** How a figure is made of a tally: of all days, and its value alone of each day. */
type Measure = {
  value: (tally: Tally) => number | null;
  of: (tally: Tally) => string;
  runs: (tally: Tally) => string[];
};

type Named<T> = { [Key in keyof DayTally]: DayTally[Key] extends T ? Key : never }[keyof DayTally];

function share(name: Named<Share>, what: string, ofWhat: string): Measure {
  return {
    value: ({ [name]: { of, hits } }) => (of === 0 ? null : hits / of),
    of: ({ [name]: { of, hits } }) => `${hits} ${what} of ${of} ${ofWhat}`,
    runs: ({ [name]: { runs } }) => runs,
  };
}

function quantile(part: number): Measure {
  const value = ({ seconds }: Tally): number | null =>
    seconds[Math.max(0, Math.ceil(part * seconds.length) - 1)] ?? null;
  return {
    value,
    of: ({ seconds }) => `${seconds.length} done, waiting for people and for the desk not counted`,
    runs: (tally) => tally.slowest.filter(([, each]) => each >= (value(tally) ?? 0)).map(([run]) => run),
  };
}

function mean(name: 'usd' | 'tokens'): Measure {
  return {
    value: ({ ended, [name]: { total } }) => (ended === 0 ? null : total / ended),
    of: ({ [name]: { total } }) => `a task on average, ${Math.round(total * 100) / 100} in all`,
    runs: ({ [name]: { runs } }) => runs,
  };
}

function sum(name: Named<Sum>, what: string): Measure {
  return { value: ({ [name]: { total } }) => total, of: () => what, runs: ({ [name]: { runs } }) => runs };
}

const approvals: Measure = {
  ...sum('approvals', 'asked'),
  of: ({ approvals: { total, approved, denied } }) =>
    `asked: ${approved} approved, ${denied} denied or run out, ${total - approved - denied} unanswered`,
};

const saved: Measure = {
  value: ({ saved: { count, total } }) => (count === 0 ? null : total),
  of: ({ saved: { seconds } }) => `by procedures, and ${Math.round(seconds)} s`,
  runs: (tally) => tally.saved.runs,
};

/** Whether prompts stay the same size while history grows: the median of the later half against the earlier one. */
const packGrowth: Measure = {
  value: ({ packs }) => {
    const middle = Math.floor(packs.length / 2);
    const [early, late] = [median(packs, 0, middle), median(packs, middle)];
    return early === null || late === null || early === 0 ? null : late / early;
  },
  of: ({ packs, largest }) =>
    `${packs.length} packs, median ${median(packs) ?? 0} and at most ${largest.tokens} tokens`,
  runs: ({ largest }) => largest.runs,
};

function median(tokens: ArrayLike<number>, from = 0, to = tokens.length): number | null {
  const sorted = Float64Array.from(tokens).subarray(from, to).toSorted();
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

const MOST_DAYS = 366;

/** Every day from the first to the last on which a task ended, also those on which none did. */
function datesOf(days: ReadonlyMap<string, DayTally>): string[] {
  const known = [...days].flatMap(([date, { ended }]) => (ended > 0 ? [date] : [])).toSorted();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  return daysBetween(first, last, MOST_DAYS);
}
