/** Asking the server: queries, intakes, tasks. A refusal is an ApiError with what to do about it. */
import type { Intake } from '../../../core/schema/intake.ts';
import { askServer } from './session-key.ts';
import { addressOf, type ShownError } from './start.ts';
import { t } from './words.ts';

export class ApiError extends Error {
  readonly code: string;
  readonly fix: string | undefined;
  constructor({ code, message, fix }: ShownError) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

export type Params = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The answer of a query. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the query answers
export function get<T>(query: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>(`${query}${queryString(params)}`, signal === undefined ? {} : { signal });
}

/** `done` is what the worker answered; without it the request waits for the worker. */
export type Submitted = { id: string; worker: boolean; done?: unknown };

export const submit = (intake: Intake): Promise<Submitted> => post('intakes', intake);

/** Posts JSON to a route of the API. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the route answers
export function post<T>(route: string, body: unknown): Promise<T> {
  return ask<T>(route, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryString(params: Params): string {
  const set = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]) => [name, String(value)]))}`;
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await askServer(`/api/v1/${path}`, init).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError({
      code: 'offline',
      message: t('The dashboard does not answer.'),
      fix: t('Is oka running? Start it: oka up'),
    });
  });
  if (response.status === 401) location.assign(addressOf('/login'));
  // no JSON: the status is said
  const answer = (await response.json().catch(() => null)) as { error?: ShownError } | null;
  if (response.ok) return answer as T;
  throw new ApiError(answer?.error ?? { code: 'refused', message: t('The dashboard answered {}.', response.status) });
}
