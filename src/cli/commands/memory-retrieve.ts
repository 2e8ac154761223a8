import { createInterface } from 'node:readline';
import type { Recall } from '../../memory/recall/recall.ts';
import { search, fitToBudget } from '../../memory/recall/search-memory.ts';
import { createTokenCounter } from '../../memory/text/tokens.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { filters, queryOf, remembering, show, shownItem } from '../memory.ts';

const DEFAULT_LIMIT = 10;
/** So many are looked at when a budget says how many there is room for. */
const LOOKED_AT = 600;

export async function run(call: Call): Promise<number> {
  const query = queryOf(call);
  if (query === '-' && !call.json)
    throw new OkaError('usage', 'with - questions are read line by line and answered as JSON', {
      fix: 'Say: oka memory retrieve --json -',
    });
  return remembering(call, async (recall) => {
    if (query === '-') await answerLines(call, recall);
    else await answer(call, recall, query);
    return exits.ok;
  });
}

/** One question a line in, one object a line out, as they come. */
async function answerLines(call: Call, recall: Recall): Promise<void> {
  await recall.learnAll(call.signal);
  for await (const line of createInterface({ input: call.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== '') await answer(call, recall, line.trim());
    if (call.signal.aborted) return;
  }
}

async function answer(call: Call, recall: Recall, query: string): Promise<void> {
  const budget = call.count('budget');
  const limit = call.count('limit') ?? (budget === undefined ? DEFAULT_LIMIT : LOOKED_AT);
  const { found, by } = await search(recall, { query, limit, ...filters(call) });
  const counter = budget === undefined && !call.json ? null : await createTokenCounter('openai');
  const items = counter === null ? null : fitToBudget(found, budget ?? Number.POSITIVE_INFINITY, counter);
  if (!call.json) return show(call, items ?? found);
  const tokens = (items ?? []).reduce((sum, each) => sum + each.tokens, 0);
  call.out(`${JSON.stringify({ query, by, budget: budget ?? null, tokens, items: (items ?? []).map(shownItem) })}\n`);
}
