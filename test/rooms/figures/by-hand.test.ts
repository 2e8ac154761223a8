import { describe, expect, it } from 'vitest';
import type { Figure } from '../../../src/rooms/figures/figures.ts';
import { metricsView, queryMetrics } from '../../../src/rooms/figures/metrics-view.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { runView } from '../../../src/kit/views/run-view.ts';
import { chance } from '../../support/chance.ts';

const SHA = 'a'.repeat(64);
const START = Date.UTC(2026, 0, 1);

/** What a person who watched the task would have counted. */
type Seen = {
  run: string;
  started: number;
  status: 'done' | 'failed' | 'cancelled';
  by: 'runbook' | 'model' | 'procedure';
  reworks: number;
  corrected: boolean;
  tokens: number;
  usd: number;
  workedMs: number;
  approvals: { asked: number; approved: number; denied: number };
  questions: number;
  heals: number;
  deskMs: number;
  saved: { tokens: number; seconds: number } | null;
};

type Timed = { at: number; event: NewEvent };

/** Writes the events of one task and counts along. */
class Watched {
  readonly events: Timed[] = [];
  readonly seen: Seen;
  private now: number;
  private calls = 0;
  private waitedMs = 0;
  private saves: { tokens: number; seconds: number } | null = null;
  private readonly child: string;
  readonly random: () => number;

  constructor(run: string, started: number, random: () => number) {
    this.random = random;
    this.now = started;
    this.child = `${run}.execute`;
    this.seen = {
      run,
      started,
      status: 'done',
      by: 'model',
      reworks: 0,
      corrected: false,
      tokens: 0,
      usd: 0,
      workedMs: 0,
      approvals: { asked: 0, approved: 0, denied: 0 },
      questions: 0,
      heals: 0,
      deskMs: 0,
      saved: null,
    };
    const input = { name: 'a.md', title: 'A', dir: null, body: SHA, fields: {}, first_line: 1 };
    const graph = { id: 'oka.task', sha256: SHA };
    this.add({ type: 'run.started', run, data: { title: run, graph, input, parent: null, depth: 0 } }, 0);
  }

  add(event: NewEvent, afterMs = 1000): void {
    this.now += afterMs;
    this.events.push({ at: this.now, event });
  }

  private call(run: string, tool: string, outcome: object): void {
    const call = `${run}.${this.calls++}`;
    this.add({
      type: 'call.started',
      run,
      data: { call, node: 'n', tool, class: 'read', input: null, attempt: 0 },
    });
    this.add({ type: 'call.ended', run, data: { call, node: 'n', output: null, ...outcome } } as NewEvent);
  }

  think(run: string = this.child): void {
    const [tokens, usd] = [10 + Math.floor(this.random() * 900), 0.25];
    this.call(run, 'model.complete', { status: 'ok', usage: { tokens_in: tokens - 5, tokens_out: 5, usd } });
    this.seen.tokens += tokens;
    this.seen.usd += usd;
  }

  plan(by: Seen['by']): void {
    const { run } = this.seen;
    if (by === 'model') this.think(run);
    const output = { by, graph: 'plan', sha256: SHA, input: null, criteria: [], tools: [], targets: [] };
    this.call(run, 'task.plan', { status: 'ok', output });
    this.seen.by = by;
  }

  choose(saves: { tokens: number; seconds: number } | null): void {
    this.saves = saves;
    const data = {
      procedure: 'p',
      version: 1,
      arm: saves === null ? 'held_back' : 'used',
      parameters: {},
      saves,
      reason: '',
    };
    this.add({ type: 'procedure.chosen', run: this.seen.run, data } as NewEvent);
  }

  /** The steps: a run inside, whose usage the call that waited for it repeats. */
  execute(inside: () => void = () => undefined): void {
    const { run, tokens: before } = this.seen;
    const call = `${run}.${this.calls++}`;
    this.add({
      type: 'call.started',
      run,
      data: { call, node: 'execute', tool: 'run.start', class: 'read', input: null, attempt: 0 },
    });
    this.add({
      type: 'run.started',
      run: this.child,
      data: { title: 'steps', graph: { id: 'plan', sha256: SHA }, input: null, parent: run, depth: 1 },
    });
    this.call(this.child, 'shell', { status: 'ok' });
    inside();
    this.add({ type: 'run.ended', run: this.child, data: { status: 'done', reason: '' } });
    const usage = { tokens_in: this.seen.tokens - before, tokens_out: 0, usd: 9, tool_calls: 3 };
    this.add({
      type: 'call.ended',
      run,
      data: { call, node: 'execute', status: 'ok', output: null, usage },
    });
  }

  judge(verdict: 'done' | 'rework' | 'blocked', times = 1): void {
    for (let n = 0; n < times; n += 1)
      this.add({ type: 'run.judged', run: this.seen.run, data: { verdict, criteria: [], reason: '' } });
    this.call(this.seen.run, 'task.critique', { status: verdict === 'done' ? 'ok' : 'failed' });
  }

  replan(): void {
    this.seen.reworks += 1;
    this.plan('model');
  }

  fail(times: number): void {
    for (let n = 0; n < times; n += 1) this.call(this.child, 'shell', { status: 'failed', error: 'exit 1' });
    this.call(this.child, 'model.complete', { status: 'failed', error: 'overloaded', retried: true });
  }

  /** `others` are waits that begin and end while this one is open. */
  wait(
    kind: 'approval' | 'question' | 'requirement',
    ms: number,
    verdict: 'approved' | 'denied' | 'expired' | 'answered' | 'arrived' | null,
    { run = this.child, inside = () => undefined }: { run?: string; inside?: () => void } = {},
  ): void {
    const from = this.now + 1000;
    const wait = `${run}.w${this.calls++}`;
    const about = { approval: { binding: SHA, text: '' }, question: { text: '' }, requirement: { name: 'jq' } }[kind];
    this.add({ type: 'wait.opened', run, data: { wait, node: 'n', for: { kind, ...about } } } as NewEvent);
    if (kind === 'approval') this.seen.approvals.asked += 1;
    if (kind === 'question') this.seen.questions += 1;
    const waited = this.waitedMs;
    inside();
    if (verdict === null) {
      this.now += ms;
      this.waitedMs = waited + (this.now + 1000 - from);
      return;
    }
    this.add({ type: 'wait.closed', run, data: { wait, node: 'n', answer: { verdict } } }, ms);
    if (kind === 'approval') this.seen.approvals[verdict === 'approved' ? 'approved' : 'denied'] += 1;
    this.waitedMs = waited + (this.now - from);
  }

  sleep(ms: number, isWaiting = false): void {
    this.now += ms;
    const why = this.seen.questions % 2 === 0 ? 'desk' : 'clock';
    this.add({ type: 'run.time_skipped', run: this.child, data: { ms, why } });
    if (why === 'desk') this.seen.deskMs += ms;
    if (!isWaiting) this.waitedMs += ms;
  }

  /** An installation is a run of its own; `forRun` is who needed it. */
  install(forRun: string | null, { isAsked = false, counts = true } = {}): void {
    const run = `install-${this.seen.run}-${this.calls++}`;
    const input = { by: 'node', name: 'cowsay', vouched: 'table', why: '', for_run: forRun };
    const graph = { id: 'oka.install', sha256: SHA };
    this.add({ type: 'run.started', run, data: { title: run, graph, input, parent: null, depth: 0 } });
    if (isAsked) {
      if (counts) this.wait('approval', 7000, 'approved', { run });
      else {
        const { asked, approved, denied } = this.seen.approvals;
        const waited = this.waitedMs;
        this.wait('approval', 7000, 'approved', { run });
        this.seen.approvals = { asked, approved, denied };
        this.waitedMs = waited;
      }
    }
    const data = { by: 'node', name: 'cowsay', version: '1.0.0', commands: ['cowsay'], why: '', for_run: forRun };
    this.add({ type: 'dependency.installed', run, data } as unknown as NewEvent);
    this.add({ type: 'run.ended', run, data: { status: 'done', reason: '' } });
    if (counts) this.seen.heals += 1;
  }

  end(status: Seen['status']): void {
    this.add({ type: 'run.ended', run: this.seen.run, data: { status, reason: '' } });
    const { started, by, tokens } = this.seen;
    this.seen.status = status;
    this.seen.workedMs = this.now - started - this.waitedMs;
    if (this.saves !== null && status === 'done' && by === 'procedure')
      this.seen.saved = {
        tokens: this.saves.tokens - tokens,
        seconds: this.saves.seconds - this.seen.workedMs / 1000,
      };
  }

  correct(): void {
    this.add({ type: 'run.corrected', run: this.seen.run, data: { by: 'other', text: 'No.' } }, 86_400_000);
    this.seen.corrected = true;
  }

  undo(): void {
    this.add({ type: 'run.undone', run: this.seen.run, data: { restored: [], kept: [] } }, 3_600_000);
    this.seen.corrected = true;
  }
}

const SAVES = { tokens: 5000, seconds: 500 };

/** What may happen to a task, each with what a person counts. */
const CASES: readonly ((task: Watched) => void)[] = [
  (task) => {
    task.plan('runbook');
    task.execute();
    task.judge('done');
    task.end('done');
  },
  // The critic rejects a runbook that nobody can plan again: it fails, and nothing was reworked.
  (task) => {
    task.plan('runbook');
    task.execute(() => task.fail(1));
    task.judge('rework');
    task.end('failed');
  },
  (task) => {
    task.plan('model');
    task.execute(() => task.think());
    task.judge('done');
    task.end('done');
  },
  (task) => {
    task.plan('model');
    task.execute(() => task.fail(2));
    task.judge('rework');
    task.replan();
    task.execute();
    task.judge('done');
    task.end('done');
  },
  // A crash between the verdict and the end of the call: the verdict is in the ledger twice.
  (task) => {
    task.plan('model');
    task.execute();
    task.judge('rework', 2);
    task.replan();
    task.execute();
    task.judge('rework');
    task.end('failed');
  },
  (task) => {
    task.plan('model');
    task.execute();
    task.judge('blocked');
    task.end('failed');
  },
  (task) => {
    task.plan('model');
    task.execute(() => {
      task.wait('requirement', 20_000, 'arrived', { inside: () => task.install(`${task.seen.run}.execute`) });
      task.wait('requirement', 20_000, 'arrived', {
        inside: () => task.install(`${task.seen.run}.execute`, { isAsked: true }),
      });
    });
    task.judge('done');
    task.end('done');
  },
  // Installed at the wish of a person meanwhile, and repaired long after the task that needed it first.
  (task) => {
    task.plan('model');
    task.execute(() => task.install(null, { isAsked: true, counts: false }));
    task.judge('done');
    task.end('done');
    task.install(task.seen.run, { isAsked: true, counts: false });
  },
  (task) => {
    task.plan('model');
    task.execute(() => {
      task.wait('approval', 60_000, 'approved', { inside: () => task.wait('question', 9000, 'answered') });
      task.wait('approval', 30_000, 'denied', { inside: () => task.sleep(600_000, true) });
      task.wait('approval', 5000, 'expired');
      task.sleep(40_000);
    });
    task.judge('done');
    task.end('done');
  },
  (task) => {
    task.plan('model');
    task.execute(() => task.wait('approval', 50_000, null));
    task.end('cancelled');
  },
  (task) => {
    task.choose(SAVES);
    task.plan('procedure');
    task.execute();
    task.judge('done');
    task.end('done');
  },
  (task) => {
    task.choose(SAVES);
    task.plan('procedure');
    task.execute(() => task.think());
    task.judge('done');
    task.end('done');
    task.correct();
  },
  // Planned from a procedure, sent back, and done by a model: nothing was saved.
  (task) => {
    task.choose(SAVES);
    task.plan('procedure');
    task.execute();
    task.judge('rework');
    task.replan();
    task.execute();
    task.judge('done');
    task.end('done');
  },
  (task) => {
    task.choose(SAVES);
    task.plan('procedure');
    task.execute();
    task.judge('rework');
    task.end('failed');
  },
  (task) => {
    task.choose(null);
    task.plan('model');
    task.execute();
    task.judge('done');
    task.end('done');
    task.undo();
  },
  (task) => {
    task.plan('model');
    task.execute();
    task.judge('done');
    task.end('done');
    task.undo();
    task.correct();
  },
];

function watch(seed: number, count: number): { events: Timed[]; seen: Seen[] } {
  const random = chance(seed);
  const tasks = Array.from({ length: count }, (_, n) => {
    const task = new Watched(`r${n}`, START + Math.floor(n * 1_800_000 * (0.5 + random())), random);
    (CASES[n % CASES.length] as (typeof CASES)[number])(task);
    return task;
  });
  const events = tasks.flatMap((task) => task.events).toSorted((a, b) => a.at - b.at);
  return { events, seen: tasks.map((task) => task.seen) };
}

function fold(events: readonly Timed[]): Rows {
  const rows = memoryRows();
  for (const [index, { at, event }] of events.entries()) {
    const full = { cause: null, v: 1, seq: index + 1, at: new Date(at).toISOString(), pen: 'run', ...event };
    for (const view of [runView, metricsView]) {
      const read = { nodes: [], parent: null, depth: 0, ...(event.data as object) };
      view.take({ event: { ...full, data: read } as unknown as Event, text: () => null }, rows);
    }
  }
  return rows;
}

/** The figures as a person counts them. */
function count(seen: readonly Seen[]): Record<string, number | null> {
  const sum = (value: (each: Seen) => number): number => seen.reduce((total, each) => total + value(each), 0);
  const share = (of: readonly Seen[], hit: (each: Seen) => boolean): number => of.filter(hit).length / of.length;
  const done = seen.filter(({ status }) => status === 'done');
  const planned = seen.filter(({ by }) => by !== 'runbook');
  const times = done.map(({ workedMs }) => workedMs / 1000).toSorted((a, b) => a - b);
  return {
    completion: share(seen, ({ status }) => status === 'done'),
    rework: share(seen, ({ reworks }) => reworks > 0),
    corrections: share(done, ({ corrected }) => corrected),
    'first try': share(seen, ({ status, reworks, corrected }) => status === 'done' && reworks === 0 && !corrected),
    'time, median': times[Math.ceil(0.5 * times.length) - 1] ?? null,
    'time, p90': times[Math.ceil(0.9 * times.length) - 1] ?? null,
    spend: sum(({ usd }) => usd) / seen.length,
    tokens: sum(({ tokens }) => tokens) / seen.length,
    reuse: share(planned, ({ by }) => by === 'procedure'),
    saved: sum(({ saved }) => saved?.tokens ?? 0),
    approvals: sum(({ approvals }) => approvals.asked),
    questions: sum(({ questions }) => questions),
    heals: sum(({ heals }) => heals),
    'waited for the desk': sum(({ deskMs }) => deskMs) / 1000,
  };
}

const valuesOf = (figures: readonly Figure[]): Record<string, number | null> =>
  Object.fromEntries(figures.filter(({ name }) => name !== 'pack growth').map(({ name, value }) => [name, value]));

function expectEqual(actual: Record<string, number | null>, expected: Record<string, number | null>): void {
  expect(Object.keys(actual).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [name, value] of Object.entries(expected)) expect(actual[name], name).toBeCloseTo(value ?? Number.NaN, 6);
}

describe('figures of 240 tasks of every kind that overlap', () => {
  it.each([1, 2])('are what a person counts (seed %i)', (seed) => {
    const { events, seen } = watch(seed, 240);
    const { figures, tasks, open } = queryMetrics(fold(events), null);
    expect([tasks, open]).toEqual([240, 0]);
    expectEqual(valuesOf(figures), count(seen));
    const { asked, approved, denied } = seen.reduce(
      (all, { approvals }) => ({
        asked: all.asked + approvals.asked,
        approved: all.approved + approvals.approved,
        denied: all.denied + approvals.denied,
      }),
      { asked: 0, approved: 0, denied: 0 },
    );
    expect(figures.find(({ name }) => name === 'approvals')?.of).toBe(
      `asked: ${approved} approved, ${denied} denied or run out, ${asked - approved - denied} unanswered`,
    );
  });

  it.each(CASES.map((_, at) => at))('case %i alone is what a person counts', (at) => {
    const task = new Watched('r', START, chance(at));
    (CASES[at] as (typeof CASES)[number])(task);
    const counted = count([task.seen]);
    const { figures } = queryMetrics(fold(task.events), null);
    for (const [name, value] of Object.entries(counted))
      if (value !== null && !Number.isNaN(value) && (name !== 'saved' || task.seen.saved !== null))
        expect(figures.find((each) => each.name === name)?.value, name).toBeCloseTo(value, 6);
  });

  it('are the same for the tasks of a window', () => {
    const { events, seen } = watch(3, 240);
    const since = START + 120 * 1_800_000;
    const { figures } = queryMetrics(fold(events), new Date(since).toISOString());
    const later = seen.filter(({ started }) => started >= since);
    expect(later.length).toBeGreaterThan(50);
    expectEqual(valuesOf(figures), count(later));
  });
});
