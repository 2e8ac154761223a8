/** How well the assistant does, as figures; each with the latest runs behind it. Pure. */
import { type DayTally, mergeDays, type Share, type Sum } from './day-tally.ts';

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
  /** Runs to look at: the latest of those that make the figure what it is, the latest last. */
  runs: string[];
};

export type Metrics = { from: string | null; to: string | null; tasks: number; open: number; figures: Figure[] };

/** `days` by their dates, such as 2026-01-31, and how many tasks there are, also those that are not over. */
export function metricsOf(days: ReadonlyMap<string, DayTally>, tasks: number): Metrics {
  const all = mergeDays(days.values());
  const dates = datesOf(days);
  const figure = (name: string, unit: Unit, about: About): Figure => ({
    name,
    unit,
    ...about(all),
    days: dates.map((date) => valueOn(days.get(date), about)),
  });
  return {
    from: dates[0] ?? null,
    to: dates.at(-1) ?? null,
    tasks,
    open: tasks - all.ended,
    figures: [
      figure('completion', 'share', share('completion', 'done', 'ended')),
      figure('rework', 'share', share('rework', 'sent back by the critic', 'ended')),
      figure('corrections', 'share', share('corrections', 'corrected or undone', 'done')),
      figure('first try', 'share', share('firstTry', 'done at once and left as they were', 'ended')),
      figure('time, median', 'seconds', quantile(0.5)),
      figure('time, p90', 'seconds', quantile(0.9)),
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

type About = (tally: DayTally) => Pick<Figure, 'value' | 'of' | 'runs'>;

function valueOn(tally: DayTally | undefined, about: About): number | null {
  return about(tally ?? mergeDays([])).value;
}

type Named<T> = { [Key in keyof DayTally]: DayTally[Key] extends T ? Key : never }[keyof DayTally];

function share(name: Named<Share>, what: string, ofWhat: string): About {
  return ({ [name]: { of, hits, runs } }) => ({
    value: of === 0 ? null : hits / of,
    of: `${hits} ${what} of ${of} ${ofWhat}`,
    runs,
  });
}

function quantile(part: number): About {
  return ({ seconds, slowest }) => {
    const sorted = seconds.toSorted((a, b) => a - b);
    const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null;
    return {
      value,
      of: `${sorted.length} done, waiting for people not counted`,
      runs: slowest.filter(([, each]) => each >= (value ?? 0)).map(([run]) => run),
    };
  };
}

function mean(name: 'usd' | 'tokens'): About {
  return ({ ended, [name]: { total, runs } }) => ({
    value: ended === 0 ? null : total / ended,
    of: `a task on average, ${Math.round(total * 100) / 100} in all`,
    runs,
  });
}

function sum(name: Named<Sum>, what: string): About {
  return ({ [name]: { total, runs } }) => ({ value: total, of: what, runs });
}

const approvals: About = ({ approvals: { total, approved, denied, runs } }) => ({
  value: total,
  of: `asked: ${approved} approved, ${denied} denied or run out, ${total - approved - denied} open`,
  runs,
});

const saved: About = ({ saved: { count, total, seconds, runs } }) => ({
  value: count === 0 ? null : total,
  of: `by procedures, and ${Math.round(seconds)} s`,
  runs,
});

/** Whether prompts stay the same size while history grows: the median of the later half against the earlier one. */
const packGrowth: About = ({ packs, largest }) => {
  const middle = Math.floor(packs.length / 2);
  const [early, late] = [median(packs.slice(0, middle)), median(packs.slice(middle))];
  return {
    value: early === null || late === null || early === 0 ? null : late / early,
    of: `${packs.length} packs, median ${median(packs) ?? 0} and at most ${largest.tokens} tokens`,
    runs: largest.runs,
  };
};

function median(tokens: readonly number[]): number | null {
  const sorted = tokens.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_DAYS = 366;

/** Every day from the first to the last on which a task ended, also those on which none did. */
function datesOf(days: ReadonlyMap<string, DayTally>): string[] {
  const known = [...days].filter(([, { ended }]) => ended > 0).map(([date]) => date);
  const [first, last] = [known.toSorted()[0], known.toSorted().at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = Date.parse(last);
  const start = Math.max(Date.parse(first), end - (MOST_DAYS - 1) * DAY_MS);
  return Array.from({ length: Math.round((end - start) / DAY_MS) + 1 }, (_, n) =>
    new Date(start + n * DAY_MS).toISOString().slice(0, 10),
  );
}
