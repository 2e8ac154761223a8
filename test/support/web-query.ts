/** Asks a query of the dashboard in this process: parameters as strings, as an address has them; the answer is checked. */
import { withViews } from '../../src/kit/house/open-views.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { Query } from '../../src/kit/web/page.ts';

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the query answers
export async function askQuery<T = Record<string, unknown>>(
  home: Home,
  query: Query,
  params: Readonly<Record<string, string>>,
): Promise<T> {
  const answer = await query.read({
    home,
    params: query.params.parse(params),
    views: (read) => withViews(home, read),
    signal: new AbortController().signal,
  });
  return query.answer.parse(JSON.parse(JSON.stringify(answer))) as T;
}
