/**
 * Owns: the connection to a server elsewhere, over streamable HTTP.
 *
 * H1 Requests go to the address that a person wrote, and nowhere else: a redirect is an error.
 * H2 An answer has at most 16 MB.
 * H3 A request that the server refuses for want of a login (401) is made once more, with a renewed one.
 */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';

type HttpOptions = {
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  /** Of a server whose entry has no token of its own. */
  login?: RequestLogin;
};

/** What a login adds to requests. */
export type RequestLogin = {
  /** The header of a request; null when nobody is logged in. */
  authorization(): Promise<string | null>;
  /** Another header in place of one that the server has refused. */
  renew(refused: string | null): Promise<string>;
  /** The error when the server refuses that, too. */
  needed(): Error;
};

const MOST_BYTES = 16 * 1_048_576;

export function httpTransport({ url, headers, fetch, login }: HttpOptions): Transport {
  const address = new URL(url);
  const boundedFetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const asked = new URL(input);
    if (asked.origin !== address.origin) throw new Error(`the server leads to ${asked.host}, which nobody named`);
    const send = (header: string | null): Promise<Response> => {
      const sent = new Headers(init?.headers);
      if (header !== null) sent.set('authorization', header);
      return fetch(asked, { ...init, headers: sent, redirect: 'manual' });
    };
    const header = (await login?.authorization()) ?? null;
    let response = await send(header);
    if (response.status === 401 && login !== undefined) {
      await response.body?.cancel();
      response = await send(await login.renew(header));
      if (response.status === 401) throw login.needed();
    }
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Error(`the server ${address.host} redirects to another address`);
    }
    return withLimit(response);
  };
  return new StreamableHTTPClientTransport(address, {
    fetch: boundedFetch,
    requestInit: { headers: { ...headers } },
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
}

function withLimit(response: Response): Response {
  if (response.body === null) return response;
  let size = 0;
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size > MOST_BYTES) controller.error(new Error(`the server sent more than ${MOST_BYTES / 1_048_576} MB`));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
}
