/** From what is remembered to the pack of one prompt: what is looked for, and what each find is worth. */
import { type PackManifest, STANDING } from '../../schema/memory.ts';
import { isTrusted } from '../index/item.ts';
import { type Counter, counterFor, familyOf } from '../text/tokens.ts';
import { type Candidate, packContext } from './pack.ts';
import type { Recall } from './recall.ts';
import { type Answer, around, dayOf, type Found, lineOf, search } from './search.ts';

export type PackFor = {
  role: PackManifest['role'];
  run: string;
  node: string | null;
  query: string;
  /** provider:model that reads it; null when that is not known. */
  model: string | null;
  /** What the caller knows by itself: the work at hand, procedures, frames. */
  given: readonly Candidate[];
};

export type ForPrompt = { text: string; manifest: PackManifest };

const LONGEST_QUERY = 4000;
/** A pack that takes less of its cap than this tells what stands around its best. */
const ROOMY = 0.75;
const MOST_EXPANDED = 8;
const STEPS = 2;
const NONE: Answer = { found: [], by: 'keywords' };
/** Where there is nothing to count no vocabulary is loaded. */
const NO_COUNTER: Counter = { name: 'none', count: () => 0 };

export async function packFor(recall: Recall, ask: PackFor): Promise<ForPrompt> {
  const { settings } = recall.options;
  const query = ask.query.slice(0, LONGEST_QUERY);
  // Plans are made of what people said; what tools gave comes later, marked as such.
  const common = { query, trusted: ask.role === 'planner' };
  const limit = recall.facts.size === 0 ? 0 : 2 * settings.facts;
  const facts = limit === 0 ? NONE : await search(recall, { ...common, limit, only: 'facts' });
  const episodes = await search(recall, { ...common, limit: 2 * settings.episodes, only: 'episodes', except: ask.run });
  const candidates = [
    ...standing(recall),
    ...ask.given,
    ...facts.found.flatMap(factual),
    ...episodes.found.map(episodic),
  ];
  const family = familyOf(ask.model);
  const counter = candidates.length === 0 ? NO_COUNTER : await counterFor(family, recall.reported(family));
  const first = packContext({ candidates, settings, counter });
  const isRoomy = first.tokens < ROOMY * settings.cap && episodes.found.length > 0;
  const more = isRoomy ? surroundings(recall, episodes.found, common.trusted) : [];
  const { text, ...packed } =
    more.length === 0 ? first : packContext({ candidates: [...candidates, ...more], settings, counter });
  const { role, node } = ask;
  return { text, manifest: { role, node, query: query.slice(0, 500), by: episodes.by, ...packed } };
}

/** What stands around the best, for room that would stay empty: it comes behind everything that was found. */
function surroundings(recall: Recall, found: readonly Found[], trusted: boolean): Candidate[] {
  const known = new Set(found.map(({ n }) => n));
  const least = Math.min(...found.map(({ score }) => score));
  return found.slice(0, MOST_EXPANDED).flatMap((hit, index) =>
    around(recall, hit.n, STEPS).flatMap((each): Candidate[] => {
      if (known.has(each.n) || (trusted && !isTrusted(each))) return [];
      known.add(each.n);
      return [episodic({ ...each, score: least / (2 + index) })];
    }),
  );
}

/** Always in: they are not found by likeness. */
function standing(recall: Recall): Candidate[] {
  const now = recall.options.clock();
  return [...recall.facts.values()].flatMap(({ fact }): Candidate[] => {
    const { id, namespace, text, importance, expires, superseded_by: by, evidence, source } = fact;
    if (namespace !== STANDING || by !== undefined || (source !== 'person' && source !== 'task')) return [];
    if (expires !== undefined && Date.parse(expires) <= now) return [];
    return [{ id: `fact:${id}`, section: 'standing', score: importance, text: `- ${oneLine(text)}`, evidence }];
  });
}

function factual({ id, namespace, text, score, evidence }: Found): Candidate[] {
  if (namespace === STANDING) return [];
  return [{ id: `fact:${id}`, section: 'facts', score, text: `- ${oneLine(text)}`, evidence }];
}

/** Told in the order in which it happened, each day named once. */
function episodic(found: Found): Candidate {
  const { id, namespace, part, score, evidence, n } = found;
  const name = namespace === 'task' ? id : `${namespace}:${id}`;
  return {
    id: part === 0 ? name : `${name}#${part}`,
    section: 'episodes',
    score,
    text: oneLine(lineOf(found)),
    under: `${dayOf(found)}:`,
    order: n,
    evidence,
  };
}

/** Nothing that is remembered can look like a part of the pack itself. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
