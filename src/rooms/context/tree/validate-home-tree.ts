/** Proves a context tree: everything is computed again, and the index is compared with what the ledger says. */
import type { Home } from '../../../core/schema/home.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type Validated, validateTree } from '../model/validate-tree.ts';
import { foldTreeAgain, readableArtifacts, withTreeRows } from './tree-index.ts';

export async function validateHomeTree(home: Home, workspace: string): Promise<Validated> {
  const artifacts = readableArtifacts(home);
  const body = (sha256: string): Promise<string | null> =>
    artifacts.get({ sha256 }).then(
      (bytes) => bytes.toString(),
      () => null,
    );
  return withTreeRows(home, async (rows) => {
    const found = await validateTree(rows, workspace, body);
    const different = await foldTreeAgain(home, (again) => firstDifference(rows, again));
    if (different === null) return found;
    const problem = 'the index is not what the ledger says';
    return { ...found, problems: [...found.problems, { what: 'index', name: different, problem }] };
  });
}

/** The key of the first row that differs; null when all are equal. */
function firstDifference(rows: Rows, again: Rows): string | null {
  const others = again.each<unknown>('tree')[Symbol.iterator]();
  for (const [key, value] of rows.each<unknown>('tree')) {
    const other = others.next();
    if (other.done === true || other.value[0] !== key) return key;
    if (JSON.stringify(other.value[1]) !== JSON.stringify(value)) return key;
  }
  const more = others.next();
  return more.done === true ? null : more.value[0];
}
