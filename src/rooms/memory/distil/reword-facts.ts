/**
 * Owns: rewording lessons by a model, and what that costs per day.
 *
 * 1. Rewording is optional: without it every lesson keeps its wording.
 * 2. The call is in the ledger before it is made, with the most that it may cost; its end with what it did cost. A call
 *    whose end is unknown counts with the most.
 * 3. No call is made that might exceed the budget of the day.
 */
import type { Improving, Part } from '../../../core/schema/learning-part.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type Reworded, acceptedRewordings, type FactToReword, factsToReword } from './rewording.ts';
import type { Config } from '../../../core/schema/config.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import type { Usage } from '../../../core/schema/effect.ts';
import { type Question, type Wording, wordingOf } from './wording.ts';

type Rewording = Omit<Improving, 'home' | 'config'> & {
  config: Pick<Config, 'maintenance'>;
  /** Null when nobody is to be asked. */
  wording: Wording | null;
};

type Amount = { tokens: number; usd: number };
type Spent = Amount & { day: string; open: (Amount & { call: string }) | null };

const KEY = 'wording/spent';
const nothing = (day: string): Spent => ({ day, tokens: 0, usd: 0, open: null });

/** Returns how many facts were reworded. */
export async function rewordFacts(m: Rewording, concluded: readonly NewEvent[]): Promise<number> {
  const facts = m.wording === null ? [] : factsToReword(concluded);
  if (m.wording === null || facts.length === 0) return 0;
  const question = await m.wording(facts).catch((error: unknown) => logUnchanged(m, error));
  if (question === null) return 0;
  if (!fitsBudget(m, question.most)) {
    m.log(`lessons of ${today(m)} stay as they were worded: maintenance.wording_budget is used up for the day`);
    return 0;
  }
  const call = `wording.${m.last + 1}`;
  const input = { facts: facts.map(({ fact }) => fact), most: amountOf(question.most) };
  const effect = 'read' as const;
  await m.write([{ type: 'call.started', data: { call, node: null, tool: 'model.complete', class: effect, input } }]);
  return askAndRecord(m, { call, facts, question });
}

async function askAndRecord(
  m: Rewording,
  { call, facts, question }: { call: string; facts: readonly FactToReword[]; question: Question },
): Promise<number> {
  let answers: readonly Reworded[] = [];
  let ended: NewEvent;
  try {
    const given = await question.ask();
    answers = given.answers;
    ended = {
      type: 'call.ended',
      data: { call, node: null, status: 'ok', usage: usageOr(given.usage, question.most) },
    };
  } catch (error) {
    logUnchanged(m, error);
    const usage = (error as { usage?: Usage }).usage ?? (isUnanswered(error) ? question.most : {});
    ended = {
      type: 'call.ended',
      data: { call, node: null, status: 'failed', error: messageOf(error).slice(0, 20_000), usage },
    };
  }
  const better = acceptedRewordings(facts, answers);
  await m.write([ended, ...better]);
  return better.length;
}

function logUnchanged(m: Rewording, error: unknown): null {
  m.log(`lessons stay as they were worded: ${messageOf(error)}`);
  return null;
}

/** The model was asked, and its answer was not awaited any longer (2). */
function isUnanswered(error: unknown): boolean {
  return error instanceof OkaError && (error.code === 'model-stalled' || error.code === 'model-stopped');
}

/** A provider that does not report its usage counts with the most. */
const usageOr = (usage: Usage, most: Usage): Usage => (amountOf(usage).tokens === 0 ? most : usage);

/** 3. Money counts where the price is known. */
function fitsBudget(m: Rewording, most: Usage): boolean {
  const { tokens, usd } = m.config.maintenance.wording_budget;
  const stored = m.rows.get<Spent>(KEY);
  const spent = stored?.day === today(m) ? stored : nothing(today(m));
  const amount = amountOf(most);
  return spent.tokens + amount.tokens <= tokens && spent.usd + amount.usd <= usd;
}

const today = ({ clock }: Rewording): string => dayOf(new Date(clock()).toISOString());
const dayOf = (at: string): string => at.slice(0, 10);
const amountOf = ({ tokens_in = 0, tokens_out = 0, usd = 0 }: Usage): Amount => ({
  tokens: tokens_in + tokens_out,
  usd,
});

/** 2. Calls of maintenance belong to no run. */
export const rewording: Part = {
  name: 'wording',
  improve: async (concluded, pass) => rewordFacts({ ...pass, wording: wordingOf(pass) }, concluded),
  take: ({ event }, rows) => {
    if (event.run !== null) return;
    if (event.type === 'call.started') begin(rows, dayOf(event.at), event.data.call, mostIn(event.data.input));
    if (event.type === 'call.ended') end(rows, event.data.call, amountOf(event.data.usage ?? {}));
  },
};

function begin(rows: Rows, day: string, call: string, most: Amount): void {
  const stored = rows.get<Spent>(KEY);
  const { tokens, usd } = stored?.day === day ? stored : nothing(day);
  const open = { call, ...most };
  rows.put(KEY, { day, tokens: tokens + most.tokens, usd: usd + most.usd, open } satisfies Spent);
}

function end(rows: Rows, call: string, took: Amount): void {
  const spent = rows.get<Spent>(KEY);
  if (spent?.open?.call !== call) return;
  const { day, tokens, usd, open } = spent;
  const left = { tokens: tokens - open.tokens + took.tokens, usd: usd - open.usd + took.usd };
  rows.put(KEY, { day, ...left, open: null } satisfies Spent);
}

function mostIn(input: unknown): Amount {
  return (input as { most?: Amount } | null)?.most ?? amountOf({});
}
