/** An MCP server that wants a login, and the authorization server that it trusts, both on this machine. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../../../src/core/schema/json.ts';

export type LoginServers = AsyncDisposable & {
  url: string;
  issuer: string;
  /** What the authorization server does from now on. */
  how: {
    expiresIn: number;
    /** Answer of the token endpoint to a refresh, instead of tokens. */
    refresh: { status: number; body: Json; headers?: Record<string, string> } | null;
    metadataIssuer: string | null;
    iss: string | null;
    pkce: string[];
  };
  /** Every token that was ever issued. */
  issued: string[];
  /** Bodies of the requests for tokens. */
  tokenRequests: URLSearchParams[];
  /** Authorization headers of requests to the MCP server. */
  seen: (string | undefined)[];
  /** The MCP server refuses these from now on. */
  refuseAll(): void;
};

type Started = { server: Server; origin: string };

async function start(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<Started> {
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function reply(response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const token = (kind: string): string => `${kind}_${randomBytes(24).toString('base64url')}`;

export async function startLoginServers(): Promise<LoginServers> {
  const how: LoginServers['how'] = { expiresIn: 3600, refresh: null, metadataIssuer: null, iss: null, pkce: ['S256'] };
  const issued: string[] = [];
  const tokenRequests: URLSearchParams[] = [];
  const seen: (string | undefined)[] = [];
  const valid = new Set<string>();
  const codes = new Map<string, URLSearchParams>();
  const clients = new Map<string, string>();
  let issuer = '';

  const tokens = (): Json => {
    valid.clear();
    const [access, refresh] = [token('access'), token('refresh')];
    valid.add(access).add(refresh);
    issued.push(access, refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: how.expiresIn };
  };
  const exchange = (asked: URLSearchParams, response: ServerResponse): void => {
    const request = codes.get(asked.get('code') ?? '');
    codes.delete(asked.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    const isSame = ['redirect_uri', 'client_id', 'resource'].every((key) => request?.get(key) === asked.get(key));
    if (request?.get('code_challenge') !== challenge || !isSame) reply(response, 400, { error: 'invalid_grant' });
    else reply(response, 200, tokens());
  };
  const refresh = (asked: URLSearchParams, response: ServerResponse): void => {
    if (how.refresh !== null) reply(response, how.refresh.status, how.refresh.body, how.refresh.headers);
    else if (!valid.has(asked.get('refresh_token') ?? '')) reply(response, 400, { error: 'invalid_grant' });
    else reply(response, 200, tokens());
  };
  const authorization = await start(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/.well-known/oauth-authorization-server')
      return reply(response, 200, {
        issuer: how.metadataIssuer ?? issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: how.pkce,
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    if (pathname === '/register') {
      const asked = JSON.parse(await text(request)) as { redirect_uris: string[] };
      const id = token('client');
      clients.set(id, asked.redirect_uris[0] ?? '');
      return reply(response, 201, { ...asked, client_id: id });
    }
    if (pathname === '/authorize') {
      const redirect = searchParams.get('redirect_uri') ?? '';
      if (clients.get(searchParams.get('client_id') ?? '') !== redirect) return reply(response, 400, {});
      const code = token('code');
      codes.set(code, searchParams);
      const back = new URL(redirect);
      back.search = new URLSearchParams({
        code,
        state: searchParams.get('state') ?? '',
        iss: how.iss ?? issuer,
      }).toString();
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== '/token') return reply(response, 404, {});
    const asked = new URLSearchParams(await text(request));
    tokenRequests.push(asked);
    return asked.get('grant_type') === 'refresh_token' ? refresh(asked, response) : exchange(asked, response);
  });
  issuer = authorization.origin;

  let url = '';
  const resource = await start(async (request, response) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return reply(response, 200, { resource: url, authorization_servers: [issuer] });
    if (request.url !== '/mcp') return reply(response, 404, {});
    const body = await text(request);
    seen.push(request.headers.authorization);
    if (!valid.has((request.headers.authorization ?? '').replace('Bearer ', '')))
      return reply(response, 401, {}, { 'www-authenticate': 'Bearer error="invalid_token"' });
    if (request.method !== 'POST') return reply(response, 405, {});
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { arguments?: Record<string, Json> };
    };
    if (id === undefined) return void response.writeHead(202).end();
    return reply(response, 200, {
      jsonrpc: '2.0',
      id,
      ...answerTo(method, params?.arguments ?? {}, request.headers.authorization),
    });
  });
  url = `${resource.origin}/mcp`;
  return {
    url,
    issuer,
    how,
    issued,
    tokenRequests,
    seen,
    refuseAll: () => valid.clear(),
    async [Symbol.asyncDispose]() {
      for (const { server } of [authorization, resource]) {
        server.close();
        server.closeAllConnections();
      }
      await Promise.resolve();
    },
  };
}

function answerTo(method: string, args: Record<string, Json>, header: string | undefined): Record<string, Json> {
  if (method === 'initialize')
    return {
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'vip', version: '1' } },
    };
  if (method === 'tools/list') return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
  const shown = args['reveal'] === true ? (header ?? '') : JSON.stringify(args);
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: shown }] } };
  return { error: { code: -32_601, message: 'not known here' } };
}
