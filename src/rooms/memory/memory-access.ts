/** What the commands about memory have in common. */
import { join } from 'node:path';
import { openRecall } from './open-recall.ts';
import { type MemoryIntake, recordMemory } from './record-memory.ts';
import { loadConfig } from '../../kit/settings.ts';
import { withStores } from '../../kit/house/await-pen.ts';
import { submit } from '../../kit/requests/submit-request.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import type { Recall } from './recall/recall.ts';
import { type Found, search, type SearchRequest } from './recall/search-memory.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { askOrDo } from '../../kit/cli/host-here.ts';
import { fitText, plainText } from '../../kit/cli/plain-text.ts';

/** Opens memory, updates it, and closes it again. */
export async function withRecall<T>(home: Home, work: (recall: Recall) => Promise<T> | T): Promise<T> {
  const recall = await openRecall(home);
  try {
    await recall.catchUp();
    return await work(recall);
  } finally {
    await recall.close();
  }
}

export type Recorded = { submitted: string } | { seqs: number[] };

/** Through the worker if one is running, else written here and now. Returns the request's id in the first case. */
export const requestMemory = (call: MemoryCall, intake: MemoryIntake): Promise<Recorded> =>
  askOrDo(() => record(call, intake));

type MemoryCall = Pick<Call, 'home' | 'signal' | 'notify'>;

async function record({ home, signal, notify }: MemoryCall, intake: MemoryIntake): Promise<Recorded> {
  const holder = penHolder(home.ledgers.run);
  if (holder !== null && holder.brief !== true) return { submitted: submit(join(home.oka, 'intake'), intake) };
  const config = await loadConfig(home);
  return withStores(home, config, { signal, notify }, async (stores) => ({ seqs: await recordMemory(intake, stores) }));
}

export function renderRecorded(recorded: object, text: string): string {
  if (!('submitted' in recorded)) return `${text}\n`;
  return `A worker is running; the request was passed on to it (${String(recorded.submitted)}).\n`;
}

/** The words behind a command as one question. */
export function queryOf({ operands }: Pick<Call, 'operands'>): string {
  const query = operands.join(' ').trim();
  if (query === '')
    throw new OkaError('usage', 'say what to search for', { fix: 'Such as: "where do the invoices go"' });
  return query;
}

/** The options that every search has. */
export type SearchOptions = {
  day: string | undefined;
  namespace: string | undefined;
  task: string | undefined;
};

export function searchFilters({ day, namespace, task }: SearchOptions): Omit<SearchRequest, 'query' | 'limit'> {
  return {
    ...(day === undefined ? {} : { day }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(task === undefined ? {} : { task }),
  };
}

type SearchResult = { query: string; by: string; found: readonly Found[] };

export async function searchMemory(
  call: Call<SearchOptions & { limit: number }>,
  only: 'facts' | 'episodes',
): Promise<SearchResult> {
  const query = queryOf(call);
  const { limit } = call.options;
  const request = { query, limit, only, ...searchFilters(call.options) };
  return { query, ...(await withRecall(call.home, (recall) => search(recall, request))) };
}

export const searchJson = ({ query, by, found }: SearchResult): object[] => [
  { query, by, items: found.map(foundItem) },
];

export const renderSearch = ({ found }: SearchResult, terminal: Terminal): string => renderFound(found, terminal);

export function renderFound(found: readonly Found[], { dim, width }: Terminal): string {
  if (found.length === 0) return 'Nothing in memory matches.\n';
  return found
    .map((each) => {
      const who = plainText(each.kind === 'fact' ? `fact ${each.id}` : each.who);
      const head = `${each.score.toFixed(2)}  ${each.at.slice(0, 10)}  ${fitText(who, 18).padEnd(18)}  `;
      return `${dim(head)}${fitText(plainText(each.text), Math.max(20, width - head.length))}\n`;
    })
    .join('');
}

/** What was found, without what is only of use inside. */
export function foundItem(found: Found): object {
  return { ...found, score: Math.round(found.score * 1e4) / 1e4, n: undefined, thread: undefined, own: undefined };
}
