/**
 * Owns: the context pack of one prompt: what is searched for, what is relevant, and whose words it is.
 *
 * 1. A memory is in it because it has to do with the task, never because there is room (relevance.ts, applicability.ts).
 * 2. Only what the operator wrote is outside of data marks: instructions, own statements, earlier tasks.
 * 3. Instructions are in it as facts, which have a state, and never as a part of an episode (stated-sentences.ts).
 */
import { type Fact, type PackManifest, STANDING } from '../../../core/schema/memory.ts';
import { isMessage } from '../index/chat-entries.ts';
import { isOperatorsFact, LEARNED_ID } from '../../../kit/learning/index-item.ts';
import { isInstruction as isInstructionFact } from '../fact-state.ts';
import { type TokenCounter, createTokenCounter, modelFamily } from '../../../kit/text/tokens.ts';
import { createApplicabilityTest, isLimited } from './applicability.ts';
import { type Candidate, packContext } from '../../../kit/learning/context-pack.ts';
import type { Recall } from './recall.ts';
import { createRelevanceTest } from '../../../kit/text/relevance.ts';
import { signsOfNew } from '../../../kit/text/term-signs.ts';
import type { PackRequest } from '../../../kit/ports/memory-port.ts';
import { dayOf, type Found, formatFound, type Ranking, rankEntries } from './search-memory.ts';
import { withoutInstructions } from './stated-sentences.ts';

export type PromptPack = { text: string; manifest: PackManifest };

const MAX_QUERY_LENGTH = 4000;
/** Avoids loading a vocabulary when there is nothing to count. */
const NO_COUNTER: TokenCounter = { name: 'none', count: () => 0 };

export function buildPack(recall: Recall, ask: PackRequest): Promise<PromptPack> {
  return recall.withRepair(() => makePack(recall, ask));
}

async function makePack(recall: Recall, ask: PackRequest): Promise<PromptPack> {
  const query = ask.query.slice(0, MAX_QUERY_LENGTH);
  // Plans are based on what people said; tool output comes later, marked as such.
  const asked = { query, trusted: ask.role === 'planner', except: ask.task ?? ask.run };
  const { by, candidates } = await rankEntries(recall, asked, (ranking) => ({
    by: ranking.by,
    candidates: selectCandidates(recall, query, ask.given, ranking),
  }));
  const family = modelFamily(ask.model);
  const counter =
    candidates.length === 0 ? NO_COUNTER : await createTokenCounter(family, recall.reportedTokens(family));
  const { text, ...packed } = packContext({ candidates, settings: recall.options.settings, counter });
  const texts = new Map(candidates.map(({ id, text: own }) => [id, own]));
  const items = packed.items.map((item) => ({ ...item, signs: signsOfNew(texts.get(item.id) ?? '', query) }));
  const { role, node } = ask;
  return { text, manifest: { role, node, query: query.slice(0, 500), by, ...packed, items } };
}

function selectCandidates(recall: Recall, query: string, given: readonly Candidate[], ranking: Ranking): Candidate[] {
  const { settings } = recall.options;
  const facts = recall.facts.size === 0 ? [] : [...ranking.best('facts', 2 * settings.facts)];
  const isRelevant = createRelevanceTest(query);
  return [
    ...statedCandidates(recall, query, facts),
    ...given,
    ...facts.filter(isRelevant).flatMap((found) => factCandidates(recall, found)),
    ...relevantEpisodes(recall, query, ranking.best('episodes', 2 * settings.episodes)).map(episodeCandidate),
  ];
}

/** The share of the best score from which on the words of somebody who is named have to do with the task. */
const NAMED_SHARE = 0.25;

/** Roughly; only for knowing when there is enough. */
const CHARACTERS_PER_TOKEN = 4;
/** Near-duplicates are dropped later, so somewhat more is read than fits. */
const SLACK = 1.3;
/** After so many in a row that have nothing to do with the task, none follows. */
const MOST_MISSES = 60;

/**
 * What has to do with the task by its words or its meaning, and what people said who are named in it; no more is read than
 * can fit.
 */
function relevantEpisodes(recall: Recall, query: string, found: Iterable<Found>): Found[] {
  const { cap, shares } = recall.options.settings;
  const isRelevant = createRelevanceTest(query);
  const isNamedIn = createNameTest(query);
  const relevant: Found[] = [];
  let [left, misses, least] = [SLACK * cap * shares.episodes * CHARACTERS_PER_TOKEN, 0, -1];
  for (const each of found) {
    if (least < 0) least = NAMED_SHARE * each.score;
    const isNamed = isTalk(each) && each.score >= least && isNamedIn(each.who);
    const kept = isNamed || isRelevant(each) ? withoutStated(recall, isNamedIn, each) : [];
    const related = kept.filter((one) => one === each || isNamed || isRelevant(one));
    misses = related.length === 0 ? misses + 1 : 0;
    relevant.push(...related);
    for (const { text } of related) left -= text.length;
    if (left <= 0 || misses >= MOST_MISSES) break;
  }
  return relevant;
}

const isTalk = (found: Found): boolean => found.kind === 'said' && found.namespace !== 'task' && !isMessage(found);

/** While all standing instructions are this short, each task gets all of them that name no other project or person. */
const SHORT_STANDING = 150 * CHARACTERS_PER_TOKEN;

/** What the operator stated and what applies; general instructions are not found by similarity, so all are tested. */
function statedCandidates(recall: Recall, query: string, found: readonly Found[]): Candidate[] {
  const now = recall.options.clock();
  const ranked = new Map(found.map((each) => [each.id, each]));
  const applies = createApplicabilityTest(query);
  const stated = [...recall.facts.values()].flatMap(({ fact }) => {
    const isOver = fact.expires !== undefined && Date.parse(fact.expires) <= now;
    return isOperatorsFact(fact) && fact.superseded_by === undefined && !isOver ? [fact] : [];
  });
  const standing = stated.filter(({ namespace }) => namespace === STANDING);
  const isShort = standing.reduce((sum, { text }) => sum + text.length + 3, 0) <= SHORT_STANDING;
  return stated.flatMap((fact): Candidate[] => {
    const { similarity = null, score = 0 } = ranked.get(fact.id) ?? {};
    const isInstruction = isInstructionFact(fact);
    const how = applies({ text: fact.text, isInstruction, similarity });
    const isIn = fact.namespace === STANDING && isShort && !isLimited(fact.text);
    if (how === 'no' && !isIn && !isStandingByHand(fact)) return [];
    const section = fact.namespace === STANDING ? 'standing' : 'facts';
    const weight = (isInstruction ? 1 : 0) + (how === 'by subject' ? 1 : 0) + score + fact.importance / 10;
    const text = `- ${toOneLine(fact.text)}`;
    return [
      {
        id: `fact:${fact.id}`,
        section,
        score: weight,
        text,
        isInstruction,
        isOperators: true,
        evidence: fact.evidence,
      },
    ];
  });
}

/** A person who stores a standing instruction means every task; what they said in one is learned under another id. */
const isStandingByHand = ({ id, namespace }: Fact): boolean => namespace === STANDING && !LEARNED_ID.test(id);

/** Facts that runs, tools and imports are the source of. */
function factCandidates(recall: Recall, { id, namespace, text, score, evidence }: Found): Candidate[] {
  const fact = recall.facts.get(id)?.fact;
  if (namespace === STANDING || fact === undefined || isOperatorsFact(fact)) return [];
  return [{ id: `fact:${id}`, section: 'facts', score, text: `- ${toOneLine(text)}`, evidence }];
}

/**
 * An episode without the instructions in it (3). The operator's stay until maintenance has read them; what others demanded
 * is only part of a task that asks about them.
 */
function withoutStated(recall: Recall, isNamedIn: (who: string) => boolean, found: Found): Found[] {
  const isOwn = found.own === 1;
  const { texts, until } = recall.learned;
  const isRead = found.evidence.every(({ seq }) => seq <= until);
  const isRemoved = (statement: string): boolean => (isOwn ? isRead || texts.has(statement) : !isNamedIn(found.who));
  const text = withoutInstructions(found, isRemoved);
  return text === null ? [] : text === found.text ? [found] : [{ ...found, text }];
}

/** Tests whether a text names somebody. */
function createNameTest(text: string): (who: string) => boolean {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const known = new Map<string, boolean>();
  return (who) => {
    const isNamed =
      known.get(who) ?? (who.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).some((part) => words.has(part));
    known.set(who, isNamed);
    return isNamed;
  };
}

/**
 * A task, a correction, or a message in a conversation of this home. An answer to a question is not: a model may have
 * written the question.
 */
const isOperatorsEpisode = (found: Found): boolean =>
  found.kind === 'said' && found.own === 1 && found.node === null && (found.namespace === 'task' || isMessage(found));

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
function toOneLine(text: string): string {
  if (!SPACED.test(text)) return text.trim(); // most texts are one line
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Anything but single spaces between words. */
const SPACED = /[^\S ]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]| {2}/u;
