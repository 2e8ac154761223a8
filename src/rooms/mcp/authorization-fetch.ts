/**
 * Owns: how authorization servers are reached: through the egress proxy, with a ticket for the host that is asked.
 *
 * F1 Only over https; on this machine only for an MCP server that is on this machine, too. No redirect is followed.
 * F2 An answer of 5xx or 429 is a failure that may pass, whatever its text says.
 */
import { isLoopback } from '../../kit/models/base-url.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { fetchThrough } from '../../kit/egress/fetch-through.ts';
import type { EgressAccess } from '../../kit/egress/egress-access.ts';

const REQUEST_MS = 20_000;
const MOST_BYTES = 1_048_576;

/** For one MCP server, whose address a person wrote. */
export function authorizationFetch(egress: Pick<EgressAccess, 'grant'>, server: URL): typeof globalThis.fetch {
  return async (input, init) => {
    const asked = new URL(input instanceof Request ? input.url : input);
    assertSecure(asked, server);
    const port = asked.port || (asked.protocol === 'https:' ? '443' : '80');
    const host = `${asked.hostname}:${port}`;
    const isNamed = asked.hostname === server.hostname || isLoopback(asked.href);
    const rights = isNamed ? { hosts: [], servers: [host] } : { hosts: [host] };
    using grant = await egress.grant({ run: null, call: null, ...rights }, REQUEST_MS);
    const send = fetchThrough(() => Promise.resolve(grant.env));
    const response = await send(asked, { ...init, redirect: 'manual', signal: AbortSignal.timeout(REQUEST_MS) });
    const body = await readBounded(response, asked.host);
    const { status, statusText, headers } = response;
    if (status >= 300 && status < 400) throw new OkaError('refused', `${asked.host} redirects to another address`);
    if (status >= 500 || status === 429) throw new OkaError('refused', `${asked.host} answered with ${status}`);
    return new Response(body.length === 0 ? null : body, { status, statusText, headers });
  };
}

/** Also for the address that a person is to open. */
export function assertSecure(asked: URL, server: URL): void {
  if (asked.protocol === 'https:' || (asked.protocol === 'http:' && isLoopback(asked.href) && isLoopback(server.href)))
    return;
  throw new OkaError('not-permitted', `the login leads to ${asked.origin}, which is not addressed by https`);
}

/** The body is read while its ticket is valid. */
async function readBounded(response: Response, host: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new OkaError('refused', `${host} sent more than 1 MB`);
    chunks.push(chunk);
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) break;
  }
  return Buffer.concat(chunks);
}
