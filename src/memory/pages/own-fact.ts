/**
 * Owns: what a line means that a person wrote into a page of learnings: a fact, in the person's own words. Pure.
 *
 * O1 The name of the fact follows from page and words: the same line is the same fact, however often it is read.
 * O2 The line is the fact: it wears no mark, and whoever strikes it out gives the fact up.
 */
import { hash } from 'node:crypto';
import { type FactGiven, STANDING } from '../../schema/memory.ts';
import { wordsOf } from './prose.ts';

const LEARNINGS = /^brain\/LEARNINGS-([^/]{1,120})\.md$/;
const LONGEST = 4000;

/** The namespace of the facts on a page; null when it is not a page of facts. */
export const topicOf = (page: string): string | null => LEARNINGS.exec(page)?.[1] ?? null;

/** Null when the line is not one. */
export function factIn(page: string, line: string, supersedes: readonly string[] = []): FactGiven | null {
  const namespace = topicOf(page);
  if (namespace === null || !/^[-*+]\s/.test(line)) return null;
  const text = wordsOf(line);
  if (text === '' || text.length > LONGEST) return null;
  const isStanding = namespace === STANDING;
  return {
    id: `${isStanding ? STANDING : 'fact'}-${hash('sha256', `${page}\n${text}`).slice(0, 16)}`,
    namespace,
    text,
    importance: isStanding ? 0.9 : 0.6,
    confidence: 1,
    source: 'person',
    supersedes: [...supersedes],
    evidence: [],
  };
}

export const markOfFact = (id: string): string => `fact:${id}`;
export const factOfMark = (mark: string): string | null => (mark.startsWith('fact:') ? mark.slice(5) : null);

/** O2. */
export function factMark(page: string, line: string): string | null {
  const fact = factIn(page, line);
  return fact === null ? null : markOfFact(fact.id);
}

/** Lines that are items of a list and not shown as an example between fences. */
export function factLines(lines: readonly string[]): string[] {
  let fence: string | null = null;
  return lines.filter((line) => {
    const found = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (found !== undefined) fence = fence === null ? found : line.trim().startsWith(fence) ? null : fence;
    return fence === null && found === undefined;
  });
}
