/** Ranks frames by a question with the weights of the memory: words of the path count more than those of the text. */
import { rankOffers } from '../../../kit/learning/rank-offers.ts';
import type { Candidate, RankFrames } from './select-frames.ts';
import { parentPath } from '../model/tree-rows.ts';

export const rankFrames: RankFrames = (candidates, question) => {
  const offers = candidates.map((candidate: Candidate) => ({
    name: `${candidate.path}//${candidate.frame.type}`,
    title: candidate.path,
    text: candidate.content,
    group: parentPath(candidate.path) ?? '',
    candidate,
  }));
  return rankOffers(offers, question).map(({ offer }) => offer.candidate);
};

/** How well each text fits a question; 0 for those that have nothing to do with it. */
export function weighTexts(question: string, texts: readonly string[]): number[] {
  const offers = texts.map((text, at) => ({ name: String(at), title: '', text, group: '' }));
  const weights = new Map(rankOffers(offers, question).map(({ offer, weight }) => [offer.name, weight]));
  return texts.map((_, at) => weights.get(String(at)) ?? 0);
}
