/** The queries of the page Memory about facts. Lists are read from rows; only the origin of one fact reads events. */
import { z } from 'zod';
import { findOrigin } from '../fact-origin.ts';
import { currentKnowledge, factText, knowledgeKind } from '../about-query.ts';
import { storedFact, type StoredFact, storedFacts } from '../fact-view.ts';
import { parseFactLine } from '../../../kit/learning/own-fact.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { KnowledgeKind, type Origin } from '../../../core/schema/knowledge.ts';
import { Id } from '../../../core/schema/names.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { hasWords, wordsIn } from '../../../core/schema/text-words.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { FactAnswer, type FactLine, MemoryAnswer, StatementAnswer } from './memory-answers.ts';

const MOST_ORIGINS = 20;

const params = z.strictObject({
  q: z.string().max(200).default('').describe('Only facts with all of these words.'),
  kind: KnowledgeKind.optional(),
  topic: z.string().max(120).optional().describe('Only facts of this topic.'),
  all: z.literal('1').optional().describe('Also facts that were superseded or have expired.'),
  limit: z.coerce.number().int().min(1).max(1000).default(200).describe('At most so many.'),
});

export const memoryQuery = defineQuery({
  params,
  answer: MemoryAnswer,
  read: ({ params: asked, views }) => views((rows) => listFacts(rows, asked, Date.now())),
});

export const factQuery = defineQuery({
  params: z.strictObject({ fact: Id.describe('Which fact.') }),
  answer: FactAnswer,
  read: ({ home, params: { fact }, views }) =>
    views(async (rows) => {
      const row = storedFact(rows, fact);
      if (row === undefined || row.state.kind === 'forgotten')
        throw new OkaError('usage', `there is no fact "${fact}", or it was forgotten`);
      const origins: Origin[] = [];
      for (const each of row.fact.evidence.toReversed().slice(0, MOST_ORIGINS))
        origins.push(await findOrigin(rows, home.ledgers, [each]));
      return { ...toFactLine(row), state: stateOf(row, Date.now()), original: originalText(row), origins };
    }),
});

/** A statement becomes the same fact as the same line on a page of learnings would. */
export const statementQuery = defineQuery({
  params: z.strictObject({
    topic: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .default('general')
      .describe('The topic; standing for an instruction that is valid for every task.'),
    text: z.string().min(1).max(4000).describe('What is to be remembered, in one or two sentences.'),
    supersedes: Id.optional().describe('The fact that it replaces.'),
  }),
  answer: StatementAnswer,
  read: async ({ params: { topic, text, supersedes } }) => {
    const line = `- ${text.replaceAll(/\s+/g, ' ').trim()}`;
    const fact = parseFactLine(`brain/LEARNINGS-${topic}.md`, line, supersedes === undefined ? [] : [supersedes]);
    if (fact === null) throw new OkaError('usage', 'say in a sentence what is to be remembered');
    if (fact.id === supersedes) throw new OkaError('usage', 'it says the same as before');
    return { fact };
  },
});

function listFacts(rows: Rows, asked: z.infer<typeof params>, now: number): z.infer<typeof MemoryAnswer> {
  const valid = currentKnowledge(rows, now);
  const words = wordsIn(asked.q);
  const past = asked.all === undefined ? [] : pastFacts(rows, new Set(valid));
  const matching = [...valid, ...past].filter(
    (row) =>
      (asked.kind === undefined || knowledgeKind(row) === asked.kind) &&
      (asked.topic === undefined || row.fact.namespace === asked.topic) &&
      (words.length === 0 || hasWords(`${factText(row)} ${row.fact.namespace} ${row.fact.id}`, words)),
  );
  const kinds = Map.groupBy(valid, knowledgeKind);
  return {
    facts: matching.slice(0, asked.limit).map(toFactLine),
    matching: matching.length,
    counts: Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length])),
    topics: [...new Set(valid.map(({ fact }) => fact.namespace))].toSorted(),
  };
}

const pastFacts = (rows: Rows, valid: ReadonlySet<StoredFact>): StoredFact[] => {
  const ids = new Set([...valid].map(({ fact }) => fact.id));
  return [...storedFacts(rows)].filter(({ state, fact }) => state.kind !== 'forgotten' && !ids.has(fact.id));
};

function toFactLine(row: StoredFact): FactLine {
  const { id, namespace, source, confidence, importance, expires, evidence } = row.fact;
  return {
    id,
    kind: knowledgeKind(row),
    namespace,
    text: factText(row),
    source,
    confidence,
    importance,
    since: row.since,
    expires: expires ?? null,
    superseded_by: row.state.kind === 'superseded' ? row.state.by : null,
    evidence: evidence.at(-1) ?? null,
    more: Math.max(0, evidence.length - 1),
  };
}

function stateOf({ state, fact: { expires } }: StoredFact, now: number): z.infer<typeof FactAnswer>['state'] {
  if (state.kind === 'superseded') return 'superseded';
  return expires !== undefined && Date.parse(expires) <= now ? 'expired' : 'valid';
}

const originalText = ({ fact, reworded }: StoredFact): string | null => (reworded === null ? null : fact.text);
