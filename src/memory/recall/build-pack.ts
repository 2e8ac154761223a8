/**
 * Owns: the context pack of one prompt: what is searched for, what is relevant, and whose words it is.
 *
 * 1. A memory is in it because it has to do with the task, never because there is room (relevance.ts).
 * 2. Only what the operator wrote is outside of data marks: standing instructions, own statements, earlier tasks.
 */
import { type PackManifest, STANDING } from '../../schema/memory.ts';
import { type TokenCounter, createTokenCounter, modelFamily } from '../text/tokens.ts';
import { type Candidate, packContext } from './context-pack.ts';
import type { Recall } from './recall.ts';
import { createRelevanceTest } from './relevance.ts';
import { type SearchAnswer, dayOf, type Found, formatFound, search } from './search-memory.ts';

export type PackRequest = {
  role: PackManifest['role'];
  run: string;
  node: string | null;
  query: string;
  /** The run of the task that it is for, where that is another one: nothing of this task is remembered. */
  task?: string;
  /** provider:model that reads the pack, or null when unknown. */
  model: string | null;
  /** What the caller adds itself: the current work, procedures, frames. */
  given: readonly Candidate[];
};

export type PromptPack = { text: string; manifest: PackManifest };

const MAX_QUERY_LENGTH = 4000;
const NOTHING_FOUND: SearchAnswer = { found: [], by: 'keywords' };
/** Avoids loading a vocabulary when there is nothing to count. */
const NO_COUNTER: TokenCounter = { name: 'none', count: () => 0 };

export async function buildPack(recall: Recall, ask: PackRequest): Promise<PromptPack> {
  const { settings } = recall.options;
  const query = ask.query.slice(0, MAX_QUERY_LENGTH);
  // Plans are based on what people said; tool output comes later, marked as such.
  const common = { query, trusted: ask.role === 'planner' };
  const limit = recall.facts.size === 0 ? 0 : 2 * settings.facts;
  const facts = limit === 0 ? NOTHING_FOUND : await search(recall, { ...common, limit, only: 'facts' });
  const episodes = await search(recall, {
    ...common,
    limit: 2 * settings.episodes,
    only: 'episodes',
    except: ask.task ?? ask.run,
  });
  const isRelevant = createRelevanceTest(query);
  const candidates = [
    ...standingInstructions(recall),
    ...ask.given,
    ...facts.found.filter(isRelevant).flatMap((found) => factCandidates(recall, found)),
    ...episodes.found.filter(isRelevant).map(episodeCandidate),
  ];
  const family = modelFamily(ask.model);
  const counter =
    candidates.length === 0 ? NO_COUNTER : await createTokenCounter(family, recall.reportedTokens(family));
  const { text, ...packed } = packContext({ candidates, settings, counter });
  const { role, node } = ask;
  return { text, manifest: { role, node, query: query.slice(0, 500), by: episodes.by, ...packed } };
}

/** Always included, because similarity does not find them. */
function standingInstructions(recall: Recall): Candidate[] {
  const now = recall.options.clock();
  return [...recall.facts.values()].flatMap(({ fact }): Candidate[] => {
    const { id, namespace, text, importance, expires, superseded_by: by, evidence, source } = fact;
    if (namespace !== STANDING || by !== undefined || (source !== 'person' && source !== 'task')) return [];
    if (expires !== undefined && Date.parse(expires) <= now) return [];
    const shown = `- ${toOneLine(text)}`;
    return [{ id: `fact:${id}`, section: 'standing', score: importance, text: shown, isOperators: true, evidence }];
  });
}

function factCandidates(recall: Recall, { id, namespace, text, score, evidence }: Found): Candidate[] {
  if (namespace === STANDING) return [];
  const source = recall.facts.get(id)?.fact.source;
  const isOperators = source === 'person' || source === 'task';
  return [{ id: `fact:${id}`, section: 'facts', score, text: `- ${toOneLine(text)}`, isOperators, evidence }];
}

/** A task or a correction. An answer to a question is not: a model may have written the question. */
const isOperatorsEpisode = ({ kind, namespace, node }: Found): boolean =>
  kind === 'said' && namespace === 'task' && node === null;

/** Listed in chronological order, each day named once. */
function episodeCandidate(found: Found): Candidate {
  const { id, namespace, part, score, evidence, n } = found;
  const name = namespace === 'task' ? id : `${namespace}:${id}`;
  return {
    id: part === 0 ? name : `${name}#${part}`,
    section: 'episodes',
    score,
    text: toOneLine(formatFound(found)),
    heading: `${dayOf(found)}:`,
    order: n,
    isOperators: isOperatorsEpisode(found),
    evidence,
  };
}

/** Keeps memory content from looking like part of the pack itself. */
const toOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
