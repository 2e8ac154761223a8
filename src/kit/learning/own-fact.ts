/**
 * Owns: reading a line that a person wrote on a page of learnings as a fact, in the person's own words. Pure.
 *
 * O1 The id of the fact follows from the page and the words: the same line is the same fact, however often it is read.
 * O2 The line is the fact: it has no mark, and removing the line removes the fact.
 */
import { hash } from 'node:crypto';
import { type FactGiven, STANDING } from '../../core/schema/memory.ts';
import { plainWords } from './page-prose.ts';

const LEARNINGS = /^brain\/LEARNINGS-([^/]{1,120})\.md$/;
const MAX_FACT_LENGTH = 4000;

/** The namespace of the facts on a page; null when it is not a page of facts. */
export const topicOfPage = (page: string): string | null => LEARNINGS.exec(page)?.[1] ?? null;

/** Returns null when the line is not a fact. */
export function parseFactLine(page: string, line: string, supersedes: readonly string[] = []): FactGiven | null {
  const namespace = topicOfPage(page);
  if (namespace === null || !/^[-*+]\s/.test(line)) return null;
  const text = plainWords(line);
  if (text === '' || text.length > MAX_FACT_LENGTH) return null;
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

export const toFactMark = (id: string): string => `fact:${id}`;
export const fromFactMark = (mark: string): string | null => (mark.startsWith('fact:') ? mark.slice(5) : null);

/** The mark of the fact that a line states (O2). */
export function factMarkOfLine(page: string, line: string): string | null {
  const fact = parseFactLine(page, line);
  return fact === null ? null : toFactMark(fact.id);
}

/** Lines outside fenced blocks, which only show examples. */
export function selectFactLines(lines: readonly string[]): string[] {
  let fence: string | null = null;
  return lines.filter((line) => {
    const found = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (found !== undefined) fence = fence === null ? found : line.trim().startsWith(fence) ? null : fence;
    return fence === null && found === undefined;
  });
}
