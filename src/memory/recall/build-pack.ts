/** Builds the context pack of one prompt: decides what to search for and how to weigh each result. */
import { type PackManifest, STANDING } from '../../schema/memory.ts';
import { isTrusted } from '../index/index-item.ts';
import { type TokenCounter, createTokenCounter, modelFamily } from '../text/tokens.ts';
import { type Candidate, packContext } from './context-pack.ts';
import type { Recall } from './recall.ts';
import { type SearchAnswer, neighboursInThread, dayOf, type Found, formatFound, search } from './search-memory.ts';

export type PackRequest = {
  role: PackManifest['role'];
  run: string;
  node: string | null;
  query: string;
  /** provider:model that reads the pack, or null when unknown. */
  model: string | null;
  /** What the caller adds itself: the current work, procedures, frames. */
  given: readonly Candidate[];
};

export type PromptPack = { text: string; manifest: PackManifest };

const MAX_QUERY_LENGTH = 4000;
/** A pack that uses less of its cap than this is expanded with the neighbours of its best results. */
const EXPAND_BELOW = 0.75;
const MAX_EXPANDED = 8;
const STEPS = 2;
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
  const episodes = await search(recall, { ...common, limit: 2 * settings.episodes, only: 'episodes', except: ask.run });
  const candidates = [
    ...standingInstructions(recall),
    ...ask.given,
    ...facts.found.flatMap(factCandidates),
    ...episodes.found.map(episodeCandidate),
  ];
  const family = modelFamily(ask.model);
  const counter =
    candidates.length === 0 ? NO_COUNTER : await createTokenCounter(family, recall.reportedTokens(family));
  const first = packContext({ candidates, settings, counter });
  const isRoomy = first.tokens < EXPAND_BELOW * settings.cap && episodes.found.length > 0;
  const more = isRoomy ? expandAround(recall, episodes.found, common.trusted) : [];
  const { text, ...packed } =
    more.length === 0 ? first : packContext({ candidates: [...candidates, ...more], settings, counter });
  const { role, node } = ask;
  return { text, manifest: { role, node, query: query.slice(0, 500), by: episodes.by, ...packed } };
}

/** Returns the neighbours of the best results, scored below everything that was found, to use space that is left. */
function expandAround(recall: Recall, found: readonly Found[], trusted: boolean): Candidate[] {
  const known = new Set(found.map(({ n }) => n));
  const least = Math.min(...found.map(({ score }) => score));
  return found.slice(0, MAX_EXPANDED).flatMap((hit, index) =>
    neighboursInThread(recall, hit.n, STEPS).flatMap((each): Candidate[] => {
      if (known.has(each.n) || (trusted && !isTrusted(each))) return [];
      known.add(each.n);
      return [episodeCandidate({ ...each, score: least / (2 + index) })];
    }),
  );
}

/** Always included, because similarity does not find them. */
function standingInstructions(recall: Recall): Candidate[] {
  const now = recall.options.clock();
  return [...recall.facts.values()].flatMap(({ fact }): Candidate[] => {
    const { id, namespace, text, importance, expires, superseded_by: by, evidence, source } = fact;
    if (namespace !== STANDING || by !== undefined || (source !== 'person' && source !== 'task')) return [];
    if (expires !== undefined && Date.parse(expires) <= now) return [];
    return [{ id: `fact:${id}`, section: 'standing', score: importance, text: `- ${toOneLine(text)}`, evidence }];
  });
}

function factCandidates({ id, namespace, text, score, evidence }: Found): Candidate[] {
  if (namespace === STANDING) return [];
  return [{ id: `fact:${id}`, section: 'facts', score, text: `- ${toOneLine(text)}`, evidence }];
}

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
    evidence,
  };
}

/** Keeps memory content from looking like part of the pack itself. */
const toOneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
