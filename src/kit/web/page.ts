/**
 * A page of the dashboard: an address, queries that read, the intakes that its buttons submit, and a view that runs in
 * the browser. `app/web/pages.ts` lists all of them; the server, the API and its document are loops over it.
 *
 * P1 A query changes nothing, and works without a worker and on a read-only home.
 * P2 A page changes nothing by itself: what it wants is an intake that the process with the pen decides on.
 */
import type { z } from 'zod';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Rows } from '../../core/schema/rows.ts';

export type Page = {
  /** Its name, also that of its own query: `GET /api/v1/<name>`. */
  readonly name: string;
  /** Its address, with parameters that begin with a colon: `/runs/:run`. */
  readonly path: string;
  readonly title: string;
  /** Its place in the navigation, and the key behind `g` that opens it; a page without one is reached by links. */
  readonly nav?: {
    readonly order: number;
    readonly key: string;
    /** Its mark: the strokes of an SVG path in a square of 24. */
    readonly icon: string;
    /** Whether a narrow screen shows it in the bar at the bottom; the others are behind "More" there. */
    readonly isOnPhone?: boolean;
    /** Homes in whose navigation it is; without it, all. */
    readonly isFor?: (home: Home) => boolean;
  };
  /** What the page shows. Parameters of the address and of its query string together. */
  readonly query: Query;
  /** Further data that the view asks for, by name: `GET /api/v1/<name>`. */
  readonly queries?: Readonly<Record<string, Query>>;
  /** Kinds of intakes that its view submits. */
  readonly intakes: readonly Intake['kind'][];
  /** The module of the view, for the browser. */
  readonly view: URL;
  readonly styles?: readonly URL[];
};

export type Query<Params extends z.ZodObject = z.ZodObject, Answer extends z.ZodType = z.ZodType> = {
  /** What can be asked for; every value arrives as a string. */
  readonly params: Params;
  readonly answer: Answer;
  /** Its parameters may be large: they come as JSON in the body of a POST, and not in the address. */
  readonly isPosted?: true;
  readonly read: (request: QueryRequest<z.infer<Params>>) => Promise<z.input<Answer>>;
};

export type QueryRequest<Params> = {
  readonly home: Home;
  readonly params: Params;
  /** Lets a function read rows of all views that are up to date. */
  readonly views: <T>(read: (rows: Rows) => T | Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
};

/** Shows the answer of the query as it is. */
const DATA_VIEW = new URL('./browser/data-view.ts', import.meta.url);

/**
 * Declares a page. Without a view of its own it shows what its query answers: lists as tables, the rest as names and
 * values.
 *
 *     export const clockPage = definePage({
 *       name: 'clock',
 *       path: '/clock',
 *       title: 'Clock',
 *       nav: { order: 90, key: 'o', icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2' },
 *       query: defineQuery({
 *         params: z.strictObject({}),
 *         answer: z.strictObject({ now: z.string().describe('The time of this machine.') }),
 *         read: () => Promise.resolve({ now: new Date().toISOString() }),
 *       }),
 *       intakes: [],
 *     });
 */
export const definePage = (page: Omit<Page, 'view'> & { view?: URL }): Page => ({ view: DATA_VIEW, ...page });

/** Declares a query; its parameters and its answer are typed by their schemas. */
export function defineQuery<Params extends z.ZodObject, Answer extends z.ZodType>(query: Query<Params, Answer>): Query {
  return query;
}
