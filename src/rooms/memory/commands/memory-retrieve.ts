import { createInterface } from 'node:readline';
import type { Recall } from '../recall/recall.ts';
import { type Found, retrieve, type Retrieved } from '../recall/search-memory.ts';
import type { RetrieveRequest } from '../recall/background-recall.ts';
import { retrieveFromWorker } from '../recall-socket.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { createTokenCounter } from '../../../kit/text/tokens.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
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
  const answered = query === '-' || penHolder(call.home.ledgers.run) === null ? null : await askWorker(call, query);
  if (answered !== null) {
    call.emit(answered);
    return { code: exits.ok };
  }
  return withRecall(call.home, async (recall) => {
    if (query === '-') await retrieveLines(call, recall);
    else call.emit(await retrieveHere(call, recall, query));
    return { code: exits.ok };
  });
}

export const jsonLines = (data: Data): object[] => [{ ...data, items: data.items.map(foundItem) }];

export const render = ({ items }: Data, terminal: Terminal): string => renderFound(items, terminal);

/** One question a line in, one object a line out, as they come. */
async function retrieveLines(call: RetrieveCall, recall: Recall): Promise<void> {
  await recall.embedAll(call.signal);
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') call.emit(await retrieveHere(call, recall, line.trim()));
    if (call.signal.aborted) return;
  }
}

/** A worker that runs has the index and the embedding model loaded. */
async function askWorker(call: RetrieveCall, query: string): Promise<Data | null> {
  const { asked, budget, isCounted } = requestFor(call, query);
  const answered = await retrieveFromWorker(call.home, { asked, budget, isCounted });
  return answered === null ? null : toData(query, budget, answered);
}

async function retrieveHere(call: RetrieveCall, recall: Recall, query: string): Promise<Data> {
  const { asked, budget, isCounted } = requestFor(call, query);
  const counter = isCounted ? await createTokenCounter('openai') : null;
  return toData(query, budget, await retrieve(recall, asked, { budget, counter }));
}

function requestFor({ options, json }: RetrieveCall, query: string): RetrieveRequest {
  const { budget } = options;
  const limit = options.limit ?? (budget === undefined ? DEFAULT_LIMIT : CONSIDERED);
  const asked = { query, limit, ...searchFilters(options) };
  return { asked, budget: budget ?? null, isCounted: budget !== undefined || json };
}

const toData = (query: string, budget: number | null, { items, by }: Retrieved): Data => ({
  query,
  by,
  budget,
  tokens: items.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
  items,
});
