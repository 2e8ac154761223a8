/**
 * The map of a folder: its most used files with their most used names, as many as fit into a number of tokens.
 *
 * 1. The text never has more tokens than were asked for.
 * 2. The same files give the same map.
 */
import { rankFiles } from './rank-files.ts';
import { findReferences, type Reference, type SourceFile } from './source-references.ts';

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
