/** Asks a query of the dashboard as the API does: values arrive as strings, and the answer has to be what its schema says. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeAt } from '../../src/kit/settings.ts';
import { withViews } from '../../src/kit/house/open-views.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { Rows } from '../../src/core/schema/rows.ts';
import type { Query } from '../../src/kit/web/page.ts';

/** In a home, or in rows alone where a query needs nothing else. */
export async function askQuery<T = Record<string, unknown>>(
  query: Query,
  where: Home | { rows: Rows },
  params: Readonly<Record<string, string>> = {},
): Promise<T> {
  const home = 'rows' in where ? homeAt(join(tmpdir(), 'oka-no-home')) : where;
  const answer = await query.read({
    home,
    params: query.params.parse(params),
    views: async (read) => ('rows' in where ? read(where.rows) : withViews(where, read)),
    signal: new AbortController().signal,
  });
  return query.answer.parse(answer) as T;
}
