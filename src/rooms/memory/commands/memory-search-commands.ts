/** Searching what is remembered. */
import { KINDS } from '../../../kit/learning/index-item.ts';
import type { Recall } from '../recall/recall.ts';
import { type Found, listDays, retrieve, type Retrieved } from '../recall/search-memory.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import {
  foundItem,
  queryOf,
  renderFound,
  renderSearch,
  searchFilters,
  searchJson,
  searchMemory,
  type SearchOptions,
  withRecall,
} from '../memory-access.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { createInterface } from 'node:readline';
import type { RetrieveRequest } from '../recall/background-recall.ts';
import { retrieveFromWorker } from '../recall-socket.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { createTokenCounter } from '../../../kit/text/tokens.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { number, numberOr, parsedText, text } from '../../../kit/cli/options.ts';
import { parseDay } from '../../../kit/cli/option-values.ts';

const namespace = text('NAME', 'Only of this namespace, or into it.');

const found = {
  day: parsedText('DAY', 'Only of this day, such as 2026-01-31.', parseDay),
  namespace,
  task: text('RUN', 'Only of this task.'),
  limit: numberOr(10, 'N', 'At most N (default 10).'),
};

type MemoryData = Awaited<ReturnType<typeof statsOf>>;

type RetrieveCall = Call<SearchOptions & { limit: number | undefined; budget: number | undefined }, RetrieveData>;

type RetrieveData = { query: string; by: string; budget: number | null; tokens: number; items: Found[] };

const DEFAULT_LIMIT = 10;

/** So many are considered when a budget decides how many fit. */
const CONSIDERED = 600;

export const commands: Commands = {
  memory: command({
    summary: 'Show what is remembered, in numbers',
    example: 'oka memory',
    run: memory,
    render: ({ pieces, facts, days, searched }, { bold, dim }) => {
      const kinds = KINDS.filter((kind) => kind !== 'fact').map((kind) => `${kind} ${pieces[kind]}`);
      const lines = [
        `${bold('memory')}  ${count(pieces.all, 'entry', 'entries')}, searched by ${searched}`,
        `  episodes  ${count(pieces.all - pieces.fact, 'entry', 'entries')} of ${count(days, 'day')}`,
        `            ${dim(kinds.join(', '))}`,
        `  facts     ${count(facts.now, 'fact')}, ${facts.superseded} superseded, ${facts.expired} expired`,
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
  'memory retrieve': command({
    summary: 'Search facts and what happened; with a budget, what would fit into a prompt',
    operands: '<query | ->',
    options: {
      ...found,
      limit: number('N', 'At most N (default 10).'),
      budget: number('TOKENS', 'Only what fits into so many tokens, best first.'),
    },
    example: 'oka memory retrieve --budget 2000 "where do the invoices go"',
    run: memoryRetrieve,
    render: ({ items }, terminal) => renderFound(items, terminal),
    jsonLines: (data) => [{ ...data, items: data.items.map(foundItem) }],
  }),
  'memory daily days': command({
    summary: 'List the days of which something is remembered, the latest first',
    options: { limit: numberOr(30, 'N', 'Show N (default 30; 0 for all).') },
    example: 'oka memory daily days',
    run: async ({ home, options }) => {
      const days = await withRecall(home, listDays);
      return answer({ days: options.limit === 0 ? days : days.slice(0, options.limit) });
    },
    render: ({ days }) => {
      if (days.length === 0) return 'Memory is empty.\n';
      return days.map(({ day, pieces }) => `${day}  ${count(pieces, 'entry', 'entries')}\n`).join('');
    },
  }),
  'memory daily search': command({
    summary: 'Search what happened',
    operands: '<query>',
    options: found,
    example: 'oka memory daily search "backup failed" --day 2026-01-31',
    run: async (call) => answer(await searchMemory(call, 'episodes')),
    render: renderSearch,
    jsonLines: searchJson,
  }),
  'memory fact search': command({
    summary: 'Search the facts',
    operands: '<query>',
    options: found,
    example: 'oka memory fact search invoices',
    run: async (call) => answer(await searchMemory(call, 'facts')),
    render: renderSearch,
    jsonLines: searchJson,
  }),
};

async function statsOf(recall: Recall) {
  const { kinds, gone, size } = recall.corpus.now;
  const present = kinds.subarray(0, size).filter((_, at) => gone[at] === 0);
  const counts = KINDS.map((_, kind) => present.filter((each) => each === kind).length);
  const facts = [...recall.facts.values()].map(({ fact }) => fact);
  const isExpired = ({ expires }: { expires?: string | undefined }): boolean =>
    expires !== undefined && Date.parse(expires) <= Date.now();
  const current = facts.filter(({ superseded_by: by }) => by === undefined);
  return {
    pieces: {
      all: counts.reduce((sum, each) => sum + each, 0),
      ...(Object.fromEntries(KINDS.map((kind, index) => [kind, counts[index] ?? 0])) as Record<
        (typeof KINDS)[number],
        number
      >),
    },
    facts: {
      now: current.filter((fact) => !isExpired(fact)).length,
      superseded: facts.length - current.length,
      expired: current.filter(isExpired).length,
    },
    days: listDays(recall).length,
    read: { run: recall.store.cursor('run').seq, maintenance: recall.store.cursor('maintenance').seq },
    searched: (await recall.semantic.ready(recall.corpus.now)) === null ? 'words' : 'words and meaning',
  };
}

async function memory({ home }: Call): Promise<Answer<MemoryData>> {
  return answer(await withRecall(home, statsOf));
}

/** One question a line in, one object a line out, as they come. */
async function retrieveLines(call: RetrieveCall, recall: Recall): Promise<void> {
  await recall.embedAll(call.signal);
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') call.emit(await retrieveHere(call, recall, line.trim()));
    if (call.signal.aborted) return;
  }
}

/** A worker that runs has the index and the embedding model loaded. */
async function askWorker(call: RetrieveCall, query: string): Promise<RetrieveData | null> {
  const { asked, budget, isCounted } = requestFor(call, query);
  const answered = await retrieveFromWorker(call.home, { asked, budget, isCounted });
  return answered === null ? null : toData(query, budget, answered);
}

async function retrieveHere(call: RetrieveCall, recall: Recall, query: string): Promise<RetrieveData> {
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

const toData = (query: string, budget: number | null, { items, by }: Retrieved): RetrieveData => ({
  query,
  by,
  budget,
  tokens: items.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
  items,
});

async function memoryRetrieve(call: RetrieveCall): Promise<Answer<RetrieveData>> {
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
