/**
 * Owns: which frames answer a question, within a number of tokens.
 *
 * 1. Ranked by the ranking that is given, the best first; of a node its best frame is enough.
 * 2. All of them together never cost more than was asked for.
 */
import type { FrameRecord } from '../../../core/schema/frame.ts';
import type { TreeReader } from '../model/tree-store.ts';

export type Candidate = { path: string; size: number; frame: FrameRecord; content: string };
/** Orders candidates by how well they fit the question, and leaves out those that do not. */
export type RankFrames = (candidates: readonly Candidate[], question: string) => Candidate[];

/** The current frames of nodes at a path and below it, without their texts. */
export function candidatesBelow(reader: TreeReader, path: string): Omit<Candidate, 'content'>[] {
  return [...reader.places(path)].flatMap(([at]) => {
    const node = reader.node(at);
    return node === null ? [] : reader.heads(at).map((frame) => ({ path: at, size: node.size, frame }));
  });
}

export function selectFrames(
  ranked: readonly Candidate[],
  most: number,
  countTokens: (text: string) => number,
): { chosen: Candidate[]; tokens: number } {
  const chosen: Candidate[] = [];
  const seen = new Set<string>();
  let tokens = 0;
  for (const candidate of ranked) {
    const cost = countTokens(`${candidate.path}\n${candidate.content}`) + MARKS;
    if (seen.has(candidate.path) || tokens + cost > most) continue;
    seen.add(candidate.path);
    chosen.push(candidate);
    tokens += cost;
    if (chosen.length >= MOST_FRAMES) break;
  }
  return { chosen, tokens };
}

/** What the marks around a frame cost in a prompt. */
const MARKS = 20;
const MOST_FRAMES = 60;
