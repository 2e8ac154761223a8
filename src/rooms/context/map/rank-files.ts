/**
 * How much a file is used: PageRank over references. A file counts when many files use it, and more when those count
 * themselves. The result depends on the references alone, and sums to 1.
 */
import type { Reference } from './source-references.ts';

const DAMPING = 0.85;
const ROUNDS = 40;

export function rankFiles(paths: readonly string[], references: readonly Reference[]): Map<string, number> {
  const count = paths.length;
  if (count === 0) return new Map();
  const index = new Map(paths.map((path, at) => [path, at]));
  const edges = references.flatMap(({ from, to }) => {
    const [one, other] = [index.get(from), index.get(to)];
    return one === undefined || other === undefined ? [] : [{ from: one, to: other }];
  });
  const outgoing = new Float64Array(count);
  for (const { from } of edges) outgoing[from] = (outgoing[from] ?? 0) + 1;
  let ranks = new Float64Array(count).fill(1 / count);
  for (let round = 0; round < ROUNDS; round += 1) ranks = nextRanks(ranks, edges, outgoing);
  return new Map(paths.map((path, at) => [path, ranks[at] ?? 0]));
}

function nextRanks(
  ranks: Float64Array<ArrayBuffer>,
  edges: readonly { from: number; to: number }[],
  outgoing: Float64Array,
): Float64Array<ArrayBuffer> {
  const count = ranks.length;
  let unlinked = 0;
  for (let at = 0; at < count; at += 1) if (outgoing[at] === 0) unlinked += ranks[at] ?? 0;
  const next = new Float64Array(count).fill((1 - DAMPING + DAMPING * unlinked) / count);
  for (const { from, to } of edges) {
    next[to] = (next[to] ?? 0) + (DAMPING * (ranks[from] ?? 0)) / (outgoing[from] ?? 1);
  }
  return next;
}
