/** What the commands about memory have in common. */
import { openRecall } from './open-recall.ts';
import { type MemoryIntake, type Recorded, recordMemory } from './record-memory.ts';
import { loadConfig } from '../../kit/settings.ts';
import { withStores } from '../../kit/house/await-pen.ts';
import type { Recall } from './recall/recall.ts';
import { type Found, search, type SearchRequest } from './recall/search-memory.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { carryOut } from '../../kit/cli/carry-out.ts';
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

export const requestMemory = async (call: MemoryCall, intake: MemoryIntake): Promise<Recorded> =>
  (await carryOut(call, intake, () => record(call, intake))) as Recorded;

type MemoryCall = Pick<Call, 'home' | 'signal' | 'notify'>;

async function record(call: MemoryCall, intake: MemoryIntake): Promise<Recorded> {
  const config = await loadConfig(call.home);
  return withStores(call.home, config, call, (stores) => recordMemory(intake, { home: call.home, ...stores }));
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
