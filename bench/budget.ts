/**
 * The budget: counts that `npm test` lets nobody exceed. Raising one is a change of bench/budget.json, next to the reason
 * why so much is needed. `npm run -s bench -- budget` prints all counts, and with `--write` they become the budget.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Counts, measureCounts } from './budget/counts.ts';

/** By whose counts they are, such as "oka status". */
export type Budget = Record<string, { why: string; most: Record<string, number> }>;
type Row = { whose: string; what: string; value: number; most: number | undefined };

const file = join(import.meta.dirname, 'budget.json');
/** What a count may grow by before its budget is exceeded: small changes of the source, and counts that are not exact. */
const SLACK: Readonly<Record<string, number>> = {
  modules: 0.02,
  source_bytes: 0.03,
  ledger_bytes: 0.02,
  disk_bytes: 0.15,
  file_changes: 0.05,
  allocated_bytes: 0.03,
  function_calls: 0.01,
  tokens: 0.02,
  script_bytes: 0.03,
  files: 0.02,
  bytes: 0.03,
};
/** A budget of which less is used has become too large. */
const TIGHT = 0.85;

export const readBudget = (): Budget => JSON.parse(readFileSync(file, 'utf8')) as Budget;

export async function showBudget({ write, check }: { write: boolean; check: boolean }): Promise<number> {
  const counts = await measureCounts();
  const budget = readBudget();
  if (write) writeFileSync(file, `${JSON.stringify(budgetOf(counts, budget), null, 2)}\n`);
  const lines = rowsOf(counts, write ? readBudget() : budget).map(
    ({ whose, what, value, most }) =>
      `${whose.padEnd(30)} ${what.padEnd(16)} ${String(value).padStart(10)} of ${most ?? '?'}`,
  );
  const problems = write ? [] : [...excessesIn(counts, budget), ...surplusesIn(counts, budget)];
  process.stdout.write(`${[...lines, ...problems].join('\n')}\n`);
  return check && excessesIn(counts, budget).length > 0 ? 1 : 0;
}

/** What exceeds its budget, or has none, in sentences. */
export function excessesIn(counts: Counts, budget: Budget): string[] {
  const gone = Object.keys(budget).filter((whose) => counts[whose] === undefined);
  return [
    ...rowsOf(counts, budget).flatMap(({ whose, what, value, most }) => {
      if (most === undefined) return [`${whose} has no budget for ${what} (${value}): ${WRITE}`];
      if (value <= most) return [];
      const now = `${whose} takes ${value} ${what}, the budget is ${most} ("${budget[whose]?.why}")`;
      return [`${now}: take less, or raise it in bench/budget.json with the reason`];
    }),
    ...gone.map((whose) => `${whose} has a budget, but is not counted any more: ${WRITE}`),
  ];
}

/** Budgets that are much larger than what is needed. */
export function surplusesIn(counts: Counts, budget: Budget): string[] {
  return rowsOf(counts, budget).flatMap(({ whose, what, value, most }) =>
    most !== undefined && value < most * TIGHT && most - value > 1
      ? [`${whose} takes only ${value} ${what} of ${most}: ${WRITE}`]
      : [],
  );
}

const WRITE = '`npm run bench -- budget --write` writes it';

function rowsOf(counts: Counts, budget: Budget): Row[] {
  return Object.entries(counts).flatMap(([whose, own]) =>
    Object.entries(own).map(([what, value]) => ({ whose, what, value, most: budget[whose]?.most[what] })),
  );
}

/** The reasons stay. */
function budgetOf(counts: Counts, earlier: Budget): Budget {
  const mostOf = (what: string, value: number): number => Math.ceil(value * (1 + (SLACK[what] ?? 0)));
  return Object.fromEntries(
    Object.entries(counts).map(([whose, own]) => {
      const most = Object.fromEntries(Object.entries(own).map(([what, value]) => [what, mostOf(what, value)]));
      return [whose, { why: earlier[whose]?.why ?? 'Say why it takes so much.', most }];
    }),
  );
}
