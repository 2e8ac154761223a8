import { createInterface } from 'node:readline';
import type { Recall } from '../../memory/recall/recall.ts';
import { fitToBudget, type Found, openSearch, search } from '../../memory/recall/search-memory.ts';
import { createTokenCounter } from '../../memory/text/tokens.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { foundItem, queryOf, renderFound, searchFilters, type SearchOptions, withRecall } from '../memory-access.ts';

type RetrieveCall = Call<SearchOptions & { limit: number | undefined; budget: number | undefined }, Data>;
type Data = { query: string; by: string; budget: number | null; tokens: number; items: Found[] };

const DEFAULT_LIMIT = 10;
/** So many are considered when a budget decides how many fit. */
const CONSIDERED = 600;

export async function run(call: RetrieveCall): Promise<Answer<Data>> {
  const query = queryOf(call);
  if (query === '-' && !call.json)
    throw new OkaError('usage', 'with - questions are read line by line and answered as JSON', {
      fix: 'Say: oka memory retrieve --json -',
    });
  return withRecall(call.home, async (recall) => {
    if (query === '-') await retrieveLines(call, recall);
    else call.emit(await retrieve(call, recall, query));
    return { code: exits.ok };
  });
}

export const jsonLines = (data: Data): object[] => [{ ...data, items: data.items.map(foundItem) }];

export const render = ({ items }: Data, terminal: Terminal): string => renderFound(items, terminal);

/** One question a line in, one object a line out, as they come. */
async function retrieveLines(call: RetrieveCall, recall: Recall): Promise<void> {
  await recall.embedAll(call.signal);
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') call.emit(await retrieve(call, recall, line.trim()));
    if (call.signal.aborted) return;
  }
}

async function retrieve({ options, json }: RetrieveCall, recall: Recall, query: string): Promise<Data> {
  const { budget } = options;
  const limit = options.limit ?? (budget === undefined ? DEFAULT_LIMIT : CONSIDERED);
  const asked = { query, limit, ...searchFilters(options) };
  if (budget === undefined && !json) {
    const { found, by } = await search(recall, asked);
    return { query, by, budget: null, tokens: 0, items: found };
  }
  const counter = await createTokenCounter('openai');
  const { items, by } = await recall.withRepair(async () => {
    const opened = await openSearch(recall, asked);
    return { by: opened.by, items: fitToBudget(opened.found, budget ?? Number.POSITIVE_INFINITY, counter) };
  });
  return { query, by, budget: budget ?? null, tokens: items.reduce((sum, each) => sum + each.tokens, 0), items };
}
