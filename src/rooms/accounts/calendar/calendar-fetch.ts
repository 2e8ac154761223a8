/**
 * Owns: requests to the calendar server of an account.
 *
 * 1. The password goes to the server that the account names, and nowhere else, wherever an answer or a redirect leads.
 * 2. Answers are bounded in size and in time.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import type { serverAccess } from '../../../kit/egress/server-access.ts';
import type { CalendarServer } from '../account-settings.ts';
import type { Fetch } from './caldav-client.ts';

export type CalendarRoute = Pick<ReturnType<typeof serverAccess>, 'reveal' | 'fetch'>;

const MOST_BYTES = 32 * 1024 * 1024;
const MOST_REDIRECTS = 3;
const PATIENCE_MS = 60_000;

export function calendarFetch(account: string, server: CalendarServer, route: CalendarRoute, stop: AbortSignal): Fetch {
  const { url: given, user, password, certificate } = server;
  const home = new URL(given);
  return async (asked, init = {}) => {
    const secret = password === undefined ? '' : await route.reveal(password, home.hostname);
    const login = Buffer.from(`${user ?? ''}:${secret}`).toString('base64');
    const headers = { ...(init.headers as Record<string, string>), authorization: `Basic ${login}` };
    const { method = 'GET', body } = init;
    const signal = AbortSignal.any([stop, AbortSignal.timeout(PATIENCE_MS)]);
    let url = new URL(asked instanceof Request ? asked.url : asked);
    for (let hop = 0; ; hop += 1) {
      if (url.origin !== home.origin)
        throw new OkaError(
          'not-permitted',
          `${home.host} leads to ${url.origin}, which the account ${account} does not name`,
          {
            fix: `If that is right, a person can set "url" of "caldav" in .oka/rules/accounts.json to ${url.href}, and give the password for it.`,
          },
        );
      const text = typeof body === 'string' ? { body } : {};
      const response = await route.fetch(url, { method, headers, ...text, signal }, certificate);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null || hop >= MOST_REDIRECTS)
        return bounded(response);
      await response.body?.cancel();
      url = new URL(location, url);
    }
  };
}

async function bounded(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES)
      throw new OkaError('refused', `the answer of the calendar server has more than ${MOST_BYTES / 1024 / 1024} MB`, {
        fix: 'Ask for fewer days.',
      });
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const isEmpty = [101, 204, 205, 304].includes(status);
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, statusText, headers });
}
