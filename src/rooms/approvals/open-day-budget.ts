/**
 * Owns: the budget of the day while a process owns the pen: reserving from it before a call, and letting the calls that
 * wait for it go on.
 * Does not own: what has been spent (core/guard/day-spending.ts).
 *
 * 1. A reservation is durable before its call is made: a process that is killed again and again cannot spend more.
 * 2. Reservations are made one after the other, so two calls never take the same money.
 * 3. In a fleet the money of all homes counts. What is reserved is told to the others before it is in the own ledger, in
 *    a value that only one home at a time can change; while the servers do not answer, calls wait.
 * 4. A call that waits goes on when there is room for it: at midnight, when the operator raises the limit, or when
 *    another call has cost less than was reserved for it. Until then its run is not driven and takes no slot.
 */
import {
  daySpending,
  endOfDay,
  hasDayLimit,
  lackFor,
  leftToday,
  newlyLow,
  spentToday,
  sumSpending,
} from '../../core/guard/day-spending.ts';
import type { DayLeft, DaySpend, DaySpendingState, HomeSpending } from '../../core/guard/day-spending.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { DayBudget as Limits, DayNeed } from '../../core/schema/day-budget.ts';
import type { Usage } from '../../core/schema/effect.ts';
import type { ExecutionBackend } from '../../core/schema/ports.ts';
import type { Outcome } from '../../core/schema/tool.ts';
import type { LedgerPort, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import type { SharedSpending } from '../../kit/ports/fleet-port.ts';
import type { LoadedPolicy } from '../../kit/policy/policy-file.ts';
import type { DayBudget } from '../../kit/ports/day-budget-port.ts';
import { oneAtATime } from '../../kit/pause.ts';

type DayBudgetPorts = {
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  policy: () => LoadedPolicy;
  taskGraph: () => TaskGraph;
  runs: Pick<Runs, 'answer'>;
  backend: Pick<ExecutionBackend, 'capabilities'>;
  fleet: { spending: SharedSpending } | null;
  clock: () => number;
};

export function openDayBudget(ports: DayBudgetPorts): DayBudget {
  const { ledger, projections, policy, fleet, clock } = ports;
  const own = (): DaySpendingState => projections.stateOf(daySpending);
  /** Null: what others have spent is not known. */
  const all = (): DaySpendingState | null => {
    if (fleet === null) return own();
    const others = fleet.spending.others();
    return others === null ? null : { ...own(), ...sumSpending([own(), ...others]) };
  };
  const inTurn = oneAtATime();
  const now = (): ReturnType<DayBudget['now']> => {
    const limits = policy().policy.day_budget ?? {};
    const spent = spentToday(all() ?? own(), clock());
    return { limits, spent, left: leftToday(limits, spent) };
  };
  return {
    now,
    reserve: async (call, most) => {
      if (!hasDayLimit(policy().policy.day_budget ?? {})) return null;
      const need = needOf(most);
      return inTurn(async () => {
        if (call.signal.aborted) return notBegun;
        const limits = policy().policy.day_budget ?? {};
        const fits = (spending: HomeSpending): boolean =>
          lackFor(leftToday(limits, spentToday(spending, clock())), need) === null;
        const shared = (await fleet?.spending.reserve(own(), call, need, fits)) ?? null;
        if (call.signal.aborted) return notBegun;
        const spending = shared ?? own();
        if (!fits(spending)) return waitForDay(limits, spentToday(spending, clock()), need, clock());
        await ledger.append({ type: 'budget.reserved', run: call.run, data: { call: call.call, ...need } });
        return call.signal.aborted ? notBegun : null;
      });
    },
    poll: async () => {
      fleet?.spending.publish(own, inTurn);
      const known = all();
      if (known === null) return;
      const low = newlyLow(known, policy().policy.day_budget ?? {}, clock());
      if (low !== null) await ledger.append({ type: 'budget.low', data: low });
      await continueWaits(ports, now);
    },
  };
}

const notBegun: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };

const needOf = ({ usd = 0, tokens_in = 0, tokens_out = 0 }: Usage): DayNeed => ({
  usd,
  tokens: tokens_in + tokens_out,
});

function waitForDay(limits: Limits, spent: DaySpend, need: DayNeed, now: number): Outcome {
  const until = new Date(endOfDay(now)).toISOString();
  return { status: 'waiting', for: { kind: 'timer', until, why: whyOf(limits, spent, need), day_budget: need } };
}

/** Completes "It waits for". */
function whyOf(limits: Limits, spent: DaySpend, need: DayNeed): string {
  const lack = lackFor(leftToday(limits, spent), need) ?? 'usd';
  const limit = limits[lack] ?? 0;
  const field = `day_budget.${lack} in POLICY.md`;
  if (lack !== 'calls' && need[lack] > limit)
    return `a larger budget: this call may cost up to ${amount(lack, need[lack])}, and a day has only ${amount(lack, limit)}. Raise ${field}.`;
  return `tomorrow's budget: ${amount(lack, spent[lack])} of the ${amount(lack, limit)} for today are spent or reserved. It also goes on when you raise ${field}.`;
}

function amount(name: keyof DaySpend, value: number): string {
  if (name === 'usd') return `${Number(value.toFixed(4))} USD`;
  return `${Math.round(value)} ${name === 'calls' ? 'calls of models' : 'tokens'}`;
}

/** Oldest first, and no more at once than there are free slots. */
async function continueWaits({ taskGraph, runs, backend }: DayBudgetPorts, now: DayBudget['now']): Promise<void> {
  const waiting = dayWaits(taskGraph());
  if (waiting.length === 0) return;
  const { slots, busy } = backend.capabilities();
  const { left } = now();
  const free = Math.max(1, slots - busy);
  let continued = 0;
  for (const { run, wait, need } of waiting) {
    if (continued >= free) return;
    if (lackFor(left, need) !== null) continue;
    take(left, need);
    continued += 1;
    await runs.answer(run, wait, { verdict: 'elapsed', by: 'oka' }).catch(ignoreTooLate);
  }
}

/** The wait was closed by somebody else in the meantime, or its run has ended. */
function ignoreTooLate(error: unknown): void {
  if (!(error instanceof OkaError) || (error.code !== 'no-such-wait' && error.code !== 'run-is-over')) throw error;
}

function take(left: DayLeft, { usd, tokens }: DayNeed): void {
  if (left.usd !== null) left.usd -= usd;
  if (left.tokens !== null) left.tokens -= tokens;
  if (left.calls !== null) left.calls -= 1;
}

type DayWait = { run: string; wait: string; need: DayNeed };

function dayWaits({ goals }: TaskGraph): DayWait[] {
  return goals.flatMap(({ run, status, waits }) =>
    status === 'paused'
      ? []
      : waits.flatMap(({ wait, for: awaited }) =>
          awaited.kind === 'timer' && awaited.day_budget !== undefined ? [{ run, wait, need: awaited.day_budget }] : [],
        ),
  );
}
