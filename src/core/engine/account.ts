/**
 * Owns: what a run and the runs inside it may spend together.
 *
 * A1 What a run inside has spent or reserved counts for every run around it at once, not only when it has ended: runs
 *    that work at the same time cannot spend more together than the run that started them has left.
 * A2 When the wait for a child is closed, its usage is part of the parent's own events, and its account is closed:
 *    nothing counts twice.
 */
import type { NewEvent } from '../schema/event.ts';
import type { Usage } from '../schema/effect.ts';
import type { Left } from '../schema/tool.ts';
import { isInside } from './child-terms.ts';
import { addUsage, budgetLeft, NO_COST, nothingPending, type Pending, type Purse } from './run-budget.ts';
import { isOver, type RunState } from './run-state.ts';

export type Account = {
  run: Purse;
  readonly parent: Account | null;
  /** Runs inside whose usage is not in the events of this run yet. */
  readonly children: Map<string, Account>;
  /** What the calls in flight may cost at most. */
  reserved: Pending;
  readonly accounts: Accounts;
};

/** The accounts that are open, by the id of the run. */
export type Accounts = Map<string, Account>;

type WaitClosed = Extract<NewEvent, { type: 'wait.closed' }>['data'];

/** Opens the account of a run; one that is open already counts for the run as it was loaded now. */
export function openAccount(accounts: Accounts, run: RunState): Account {
  const opened = accounts.get(run.id);
  if (opened !== undefined) return Object.assign(opened, { run, reserved: nothingPending });
  const parent = isInside({ run: run.id, parent: run.parent }) ? accounts.get(run.parent ?? '') : undefined;
  const account: Account = { run, parent: parent ?? null, children: new Map(), reserved: nothingPending, accounts };
  accounts.set(run.id, account);
  parent?.children.set(run.id, account);
  return account;
}

/** After a drive: what a run has spent counts as long as a run around it has not recorded it. */
export function restAccount(accounts: Accounts, run: RunState): void {
  const account = accounts.get(run.id);
  if (account === undefined) return;
  const { id, budgets, spent, activeMs, activeSince } = run;
  account.run = { id, budgets, spent, activeMs, activeSince };
  const isCounted = account.parent?.children.has(id) ?? false;
  if (!isCounted && (isOver(run.status) || account.children.size === 0)) closeAccount(account);
}

export function closeAccount({ run, parent, children, accounts }: Account): void {
  for (const child of children.values()) closeAccount(child);
  parent?.children.delete(run.id);
  accounts.delete(run.id);
}

/** Before a wait is closed: from then on the usage in its answer, if there is one, is in the parent's events (A2). */
export function closeChildAccount({ children }: Account, { waits }: RunState, { wait, answer }: WaitClosed): void {
  const awaited = waits.get(wait)?.for;
  const child = awaited?.kind === 'child' ? children.get(awaited.run) : undefined;
  if (child !== undefined && answer.usage !== undefined) closeAccount(child);
}

/** Takes what a call may cost off the budget, or puts it back. */
export function reserve(account: Account, usage: Usage, sign: 1 | -1): void {
  if (usage !== NO_COST) account.reserved = addUsage(account.reserved, usage, sign);
}

/** What a run may still spend: the least of what it and the runs around it have left (A1). */
export function accountLeft(account: Account, now: number): Left {
  const own = budgetLeft(account.run, pendingIn(account), now);
  if (account.parent === null) return own;
  const { tokens, usd, tool_calls, output_bytes } = accountLeft(account.parent, now);
  return {
    ...own,
    tokens: Math.min(own.tokens, tokens),
    usd: Math.min(own.usd, usd),
    tool_calls: Math.min(own.tool_calls, tool_calls),
    output_bytes: Math.min(own.output_bytes, output_bytes),
  };
}

/** What counts besides the events of the run: its calls in flight, and what the runs inside have spent and reserved. */
function pendingIn({ reserved, children }: Account): Pending {
  let pending = reserved;
  for (const child of children.values()) {
    const { tokens, usd, tool_calls, output_bytes } = child.run.spent;
    pending = addUsage(pending, { tokens_in: tokens, usd, tool_calls, output_bytes }, 1);
    const inside = pendingIn(child);
    pending = addUsage(pending, { ...inside, tokens_in: inside.tokens }, 1);
  }
  return pending;
}
