/** What the commands about memory have in common. */
import { join } from 'node:path';
import { recordMemory, type MemoryIntake } from '../daemon/memory/record-memory.ts';
import { openRecall } from '../daemon/memory/open-recall.ts';
import { loadConfig } from '../daemon/settings.ts';
import { openStores } from '../daemon/stores.ts';
import { submit } from '../intake/submit.ts';
import { penHolder } from '../ledger/pen.ts';
import type { Recall } from '../memory/recall/recall.ts';
import { type SearchRequest, type Found, search } from '../memory/recall/search-memory.ts';
import { OkaError } from '../schema/errors.ts';
import type { Call } from './command.ts';
import { dim, fitted, plain, WIDTH } from './terminal.ts';

/** Opens what is remembered, up to date, and closes it again. */
export async function remembering<T>(call: Call, work: (recall: Recall) => Promise<T> | T): Promise<T> {
  const recall = await openRecall(call.home);
  try {
    await recall.catchUp();
    return await work(recall);
  } finally {
    await recall.close();
  }
}

/** Through the worker if one holds the pen, else written here and now. Returns the request's id in the first case. */
export async function ask(call: Call, intake: MemoryIntake): Promise<{ submitted: string } | { seqs: number[] }> {
  const { home } = call;
  if (penHolder(home.ledgers.run) !== null) return { submitted: submit(join(home.oka, 'intake'), intake) };
  const stores = await openStores(home, await loadConfig(home));
  try {
    return { seqs: await recordMemory(intake, stores) };
  } finally {
    await stores.close();
  }
}

export function saidDone(call: Call, asked: Awaited<ReturnType<typeof ask>>, text: string, data: object): void {
  const { json, out } = call;
  if (json) out(`${JSON.stringify({ ...data, ...asked })}\n`);
  else out('submitted' in asked ? `A worker holds the pen; it was asked to (${asked.submitted}).\n` : `${text}\n`);
}

/** The words behind a command as one question. */
export function queryOf(call: Call): string {
  const query = call.operands.join(' ').trim();
  if (query === '') throw new OkaError('usage', 'say what to look for', { fix: 'Such as: "where do the invoices go"' });
  return query;
}

/** The filters that every search has. */
export function filters(call: Call): Omit<SearchRequest, 'query' | 'limit'> {
  const [day, namespace, task] = [call.text('day'), call.text('namespace'), call.text('task')];
  if (day !== undefined && (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))))
    throw new OkaError('usage', `--day is a day such as 2026-01-31, not "${day}"`);
  return {
    ...(day === undefined ? {} : { day }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(task === undefined ? {} : { task }),
  };
}

const DEFAULT_LIMIT = 10;

export async function searchAndShow(call: Call, only: 'facts' | 'episodes'): Promise<void> {
  const query = queryOf(call);
  const limit = call.count('limit') ?? DEFAULT_LIMIT;
  const { found, by } = await remembering(call, (recall) => search(recall, { query, limit, only, ...filters(call) }));
  if (call.json) call.out(`${JSON.stringify({ query, by, items: found.map(shownItem) })}\n`);
  else show(call, found);
}

export function show(call: Call, found: readonly Found[]): void {
  if (found.length === 0) call.out('Nothing that is remembered fits.\n');
  for (const each of found) {
    const head = `${each.score.toFixed(2)}  ${each.at.slice(0, 10)}  ${fitted(plain(each.kind === 'fact' ? `fact ${each.id}` : each.who), 18).padEnd(18)}  `;
    call.out(`${dim(head)}${fitted(plain(each.text), Math.max(20, WIDTH - head.length))}\n`);
  }
}

/** Without what is only of use inside. */
export function shownItem(found: Found): object {
  return { ...found, score: Math.round(found.score * 1e4) / 1e4, n: undefined, thread: undefined };
}
