/** How well the assistant does, as figures; each with the runs behind it. Pure. */
import { secondsOf, type TaskRecord, wasFine } from '../../memory/task-record.ts';

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
  /** Runs to look at: those that make the figure what it is, the latest last. */
  runs: string[];
};

/** A pack that was made for a prompt. */
export type Packed = { run: string; at: string; tokens: number; cap: number };

/** What a task would have taken without the procedure it was planned from. */
export type Saved = { run: string; tokens: number; seconds: number };

export type Seen = { tasks: readonly TaskRecord[]; packs: readonly Packed[]; saved: readonly Saved[] };

export type Metrics = { from: string | null; to: string | null; tasks: number; open: number; figures: Figure[] };

export function metricsOf(seen: Seen): Metrics {
  const over = seen.tasks.filter(({ ended }) => ended !== null);
  const days = daysOf(over);
  const by = (name: string, unit: Unit, about: About): Figure => figureOf(name, unit, over, days, about);
  return {
    from: days[0] ?? null,
    to: days.at(-1) ?? null,
    tasks: seen.tasks.length,
    open: seen.tasks.length - over.length,
    figures: [
      by(
        'completion',
        'share',
        shareOf('done', 'ended', isDone, (task) => !isDone(task)),
      ),
      by(
        'rework',
        'share',
        shareOf('sent back by the critic', 'ended', ({ rework }) => rework > 0),
      ),
      by('corrections', 'share', correctionsOf),
      by('first try', 'share', shareOf('done at once and left as they were', 'ended', wasFine)),
      by('time, median', 'seconds', quantileOf(0.5)),
      by('time, p90', 'seconds', quantileOf(0.9)),
      by(
        'spend',
        'usd',
        meanOf('a task', ({ usd }) => usd),
      ),
      by(
        'tokens',
        'tokens',
        meanOf('a task', ({ tokens }) => tokens),
      ),
      by('reuse', 'share', reuseOf),
      savedOf(seen.saved),
      packsOf(seen.packs, days),
      by('approvals', 'count', approvalsOf),
      by(
        'questions',
        'count',
        sumOf('asked', ({ questions }) => questions),
      ),
      by(
        'heals',
        'count',
        sumOf('missing tools installed', ({ installs }) => installs.length),
      ),
    ],
  };
}

type Told = { value: number | null; of: string; runs: string[] };
type About = (tasks: readonly TaskRecord[]) => Told;

function figureOf(
  name: string,
  unit: Unit,
  tasks: readonly TaskRecord[],
  days: readonly string[],
  about: About,
): Figure {
  const byDay = Map.groupBy(tasks, dayOf);
  return { name, unit, ...about(tasks), days: days.map((day) => about(byDay.get(day) ?? []).value) };
}

const isDone = ({ status }: TaskRecord): boolean => status === 'done';

function shareOf(
  what: string,
  ofWhat: string,
  counts: (task: TaskRecord) => boolean,
  notable: (task: TaskRecord) => boolean = counts,
): About {
  return (tasks) => {
    const hits = tasks.filter(counts).length;
    return {
      value: tasks.length === 0 ? null : hits / tasks.length,
      of: `${hits} ${what} of ${tasks.length} ${ofWhat}`,
      runs: tasks.filter(notable).map(({ run }) => run),
    };
  };
}

/** Only what was handed over as done can be corrected. */
const correctionsOf: About = (tasks) =>
  shareOf(
    'corrected or undone',
    'done',
    ({ corrected, undone }) => corrected !== null || undone,
  )(tasks.filter((task) => isDone(task)));

/** Tasks that somebody had to plan: a runbook is its own plan. */
const reuseOf: About = (tasks) =>
  shareOf(
    'planned from a procedure',
    'planned',
    ({ plan }) => plan?.by === 'procedure',
  )(tasks.filter(({ plan }) => plan !== null && plan.by !== 'runbook'));

function quantileOf(share: number): About {
  return (tasks) => {
    const done = tasks.filter((task) => isDone(task)).map((task) => ({ run: task.run, seconds: secondsOf(task) ?? 0 }));
    const sorted = done.toSorted((a, b) => a.seconds - b.seconds);
    const at = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return {
      value: at?.seconds ?? null,
      of: `${sorted.length} done, waiting for people not counted`,
      runs: sorted.filter(({ seconds }) => seconds >= (at?.seconds ?? 0)).map(({ run }) => run),
    };
  };
}

function meanOf(each: string, amount: (task: TaskRecord) => number): About {
  return (tasks) => {
    const sum = total(tasks.map(amount));
    return {
      value: tasks.length === 0 ? null : sum / tasks.length,
      of: `${each} on average, ${Math.round(sum * 100) / 100} in all`,
      runs: tasks.filter((task) => amount(task) > 0).map(({ run }) => run),
    };
  };
}

function sumOf(what: string, amount: (task: TaskRecord) => number): About {
  return (tasks) => ({
    value: total(tasks.map(amount)),
    of: what,
    runs: tasks.filter((task) => amount(task) > 0).map(({ run }) => run),
  });
}

const approvalsOf: About = (tasks) => {
  const asked = total(tasks.map(({ approvals }) => approvals.asked));
  const approved = total(tasks.map(({ approvals }) => approvals.approved));
  const denied = total(tasks.map(({ approvals }) => approvals.denied));
  return {
    value: asked,
    of: `asked: ${approved} approved, ${denied} denied or run out, ${asked - approved - denied} open`,
    runs: tasks.filter(({ approvals }) => approvals.asked > 0).map(({ run }) => run),
  };
};

function savedOf(saved: readonly Saved[]): Figure {
  return {
    name: 'saved',
    unit: 'tokens',
    value: saved.length === 0 ? null : total(saved.map(({ tokens }) => tokens)),
    of: `by procedures, and ${Math.round(total(saved.map(({ seconds }) => seconds)))} s`,
    days: [],
    runs: saved.map(({ run }) => run),
  };
}

/** Whether prompts stay the same size while history grows: the median of the later half against the earlier one. */
function packsOf(packs: readonly Packed[], days: readonly string[]): Figure {
  const middle = Math.floor(packs.length / 2);
  const [early, late] = [median(packs.slice(0, middle)), median(packs.slice(middle))];
  const byDay = Map.groupBy(packs, ({ at }) => at.slice(0, 10));
  const most = Math.max(0, ...packs.map(({ tokens }) => tokens));
  return {
    name: 'pack growth',
    unit: 'ratio',
    value: early === null || late === null || early === 0 ? null : late / early,
    of: `${packs.length} packs, median ${median(packs) ?? 0} and at most ${most} tokens`,
    days: days.map((day) => median(byDay.get(day) ?? [])),
    runs: [...new Set(packs.filter(({ tokens }) => tokens === most).map(({ run }) => run))],
  };
}

function median(packs: readonly Packed[]): number | null {
  const sorted = packs.map(({ tokens }) => tokens).toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

const total = (amounts: readonly number[]): number => amounts.reduce((sum, each) => sum + each, 0);

const dayOf = ({ ended, started }: TaskRecord): string => (ended ?? started).slice(0, 10);

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_DAYS = 366;

/** Every day from the first to the last, also those on which nothing ended. */
function daysOf(tasks: readonly TaskRecord[]): string[] {
  const known = tasks.map(dayOf).toSorted();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = Date.parse(last);
  const start = Math.max(Date.parse(first), end - (MOST_DAYS - 1) * DAY_MS);
  return Array.from({ length: Math.round((end - start) / DAY_MS) + 1 }, (_, n) =>
    new Date(start + n * DAY_MS).toISOString().slice(0, 10),
  );
}
