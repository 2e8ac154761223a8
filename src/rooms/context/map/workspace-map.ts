/**
 * The map of a folder: its most used files with their most used names, as many as fit into a number of tokens.
 *
 * 1. The text never has more tokens than were asked for.
 * 2. The same files give the same map.
 */
import { findReferences, type Reference, type SourceFile } from './source-references.ts';

const DAMPING = 0.85;

const ROUNDS = 40;

type MappedFile = { path: string; rank: number; used_by: number; names: MappedName[] };
type MappedName = { name: string; line: number; used_by: number; declaration: string };
export type WorkspaceMap = { text: string; tokens: number; files: MappedFile[]; left_out: number };

export function mapWorkspace(
  files: readonly SourceFile[],
  tokens: number,
  countTokens: (text: string) => number,
): WorkspaceMap {
  const ranked = rankNames(files, findReferences(files));
  const blocks = ranked.map(renderFile);
  const fitting = countFitting(blocks, tokens, countTokens);
  const text = blocks.slice(0, fitting).join('');
  return { text, tokens: countTokens(text), files: ranked.slice(0, fitting), left_out: ranked.length - fitting };
}

/** Files with something to name, the most used first. */
function rankNames(files: readonly SourceFile[], references: readonly Reference[]): MappedFile[] {
  const ranks = rankFiles(
    files.map(({ path }) => path),
    references,
  );
  const users = countUsers(references);
  return files
    .map(({ path, outline }) => ({
      path,
      rank: Number((ranks.get(path) ?? 0).toPrecision(6)),
      used_by: users.files.get(path) ?? 0,
      names: [
        ...outline.names.map(({ name, line, declaration }) => {
          return { name, line, used_by: users.names.get(`${path}\n${name}`) ?? 0, declaration };
        }),
        ...outline.headings.map(({ text, line }) => ({ name: text, line, used_by: 0, declaration: text })),
      ].toSorted((one, other) => other.used_by - one.used_by || one.line - other.line),
    }))
    .filter(({ names }) => names.length > 0)
    .toSorted((one, other) => other.rank - one.rank || (one.path < other.path ? -1 : 1));
}

function countUsers(references: readonly Reference[]): { files: Map<string, number>; names: Map<string, number> } {
  const users = { files: new Map<string, number>(), names: new Map<string, number>() };
  for (const { to, names } of references) {
    users.files.set(to, (users.files.get(to) ?? 0) + 1);
    for (const name of new Set(names)) {
      users.names.set(`${to}\n${name}`, (users.names.get(`${to}\n${name}`) ?? 0) + 1);
    }
  }
  return users;
}

const MOST_NAMES = 12;

function renderFile({ path, used_by, names }: MappedFile): string {
  const shown = names.slice(0, MOST_NAMES).map(({ line, declaration }) => `  ${line}: ${declaration}\n`);
  const more = names.length > MOST_NAMES ? `  … and ${names.length - MOST_NAMES} more\n` : '';
  return `${path}${used_by > 0 ? ` (used by ${used_by})` : ''}\n${shown.join('')}${more}`;
}

/** How many blocks fit; found by halving, since counting tokens is what takes time. */
function countFitting(blocks: readonly string[], tokens: number, countTokens: (text: string) => number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(blocks.slice(0, middle).join('')) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * How much a file is used: PageRank over references. A file counts when many files use it, and more when those count
 * themselves. The result depends on the references alone, and sums to 1.
 */
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
