/** Owns: GET (or POST) /api/v1/<query>: parameters checked by the schema of the query, its answer as JSON. */
import type { Context, Hono } from 'hono';
import type { RowsReader } from '../../rows/rows-reader.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { describeIssues } from '../describe-issues.ts';
import type { Page, Query } from '../page.ts';
import { problemOf } from './problem.ts';
import { readJsonBody } from './request-body.ts';

export type Reading = { home: Home; reader: RowsReader };

/** All queries of all pages by name; two of one name are a mistake of ours. */
export function queriesOf(pages: readonly Page[]): ReadonlyMap<string, Query> {
  const queries = new Map<string, Query>();
  for (const page of pages)
    for (const [name, query] of Object.entries({ ...page.queries, [page.name]: page.query })) {
      if (queries.has(name)) throw new OkaError('refused', `two pages have a query "${name}"`);
      queries.set(name, query);
    }
  return queries;
}

export function addQueryRoutes(app: Hono, pages: readonly Page[], reading: Reading): void {
  for (const [name, query] of queriesOf(pages))
    app.on(query.isPosted === true ? 'POST' : 'GET', `/api/v1/${name}`, async (context) => {
      try {
        const given = query.isPosted === true ? await readJsonBody(context) : parametersOf(context);
        return Response.json(await readQuery(query, given, reading, context.req.raw.signal));
      } catch (error) {
        return problemOf(context, error);
      }
    });
}

/** The answer of a query, for the API and for the first data of a page. */
export async function readQuery(
  query: Query,
  given: unknown,
  { home, reader }: Reading,
  signal: AbortSignal,
): Promise<unknown> {
  const { success, data, error } = query.params.safeParse(given);
  if (!success) throw new OkaError('usage', describeIssues(error, 'parameter'));
  return query.read({ home, params: data, views: reader.read, signal });
}

/** A parameter that is given twice counts once: the last one. */
function parametersOf({ req }: Context): Record<string, string> {
  return Object.fromEntries(new URL(req.url).searchParams);
}
