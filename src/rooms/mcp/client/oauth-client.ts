/**
 * Owns: the OAuth conversation with the authorization server of an MCP server: discovery, registration, exchange, refresh.
 * Does not own: where tokens are stored, how the network is reached (`fetch`), who receives the redirect.
 *
 * O1 The metadata has to name the issuer that it was asked of, and the redirect, if it names an issuer, the same one.
 * O2 Every login uses PKCE with S256, a random state and the resource indicator of the server.
 * O3 Only the authorization server's own word ends a login: an answer of 5xx, or none, does not.
 */
import {
  type AuthorizationServerMetadata,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  selectResourceURL,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Login } from './oauth-login.ts';

type LoginRequest = {
  url: URL;
  redirectUrl: string;
  state: string;
  client: { id: string | null; secret: string | null; scope: string | null };
  fetch: typeof globalThis.fetch;
  clock: () => number;
};

type StartedLogin = {
  /** Where a person logs in. */
  address: URL;
  issuer: string;
  /** `params` are those of the redirect, whose state was checked. */
  finish(params: URLSearchParams): Promise<Login>;
};

export async function startLogin(request: LoginRequest): Promise<StartedLogin> {
  const { url, redirectUrl, state, fetch, clock } = request;
  const { metadata, resource, scope } = await discover(request);
  const client = await clientFor(metadata, scope, request);
  const { authorizationUrl, codeVerifier } = await startAuthorization(metadata.issuer, {
    metadata,
    clientInformation: client,
    redirectUrl,
    state,
    resource,
    ...(scope === null ? {} : { scope }),
  });
  const finish = async (params: URLSearchParams): Promise<Login> => {
    const iss = params.get('iss') ?? undefined;
    const isNamed = metadata['authorization_response_iss_parameter_supported'] === true;
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata.issuer, issParameterSupported: isNamed });
    const code = params.get('code');
    if (code === null) throw new OkaError('refused', `the login was refused: ${params.get('error') ?? 'no code'}`);
    const tokens = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: fetch,
      ...(iss === undefined ? {} : { iss }),
    });
    return {
      url: url.href,
      resource: resource.href,
      issuer: metadata.issuer,
      authorizationEndpoint: metadata.authorization_endpoint,
      tokenEndpoint: metadata.token_endpoint,
      authMethods: metadata.token_endpoint_auth_methods_supported ?? null,
      clientId: client.client_id,
      clientSecret: client.client_secret ?? null,
      ...readTokens(tokens, null, clock()),
    };
  };
  return { address: authorizationUrl, issuer: metadata.issuer, finish };
}

type Discovered = { metadata: AuthorizationServerMetadata; resource: URL; scope: string | null };

async function discover({ url, client, fetch }: LoginRequest): Promise<Discovered> {
  const challenge = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await challenge.body?.cancel();
  const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(challenge);
  if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== url.origin)
    throw new OkaError('refused', `the server describes its login at ${resourceMetadataUrl.host}, which nobody named`);
  const found = await discoverOAuthServerInfo(url, {
    fetchFn: fetch,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined)
    throw new OkaError('refused', `${found.authorizationServerUrl} does not describe how to log in (RFC 8414)`);
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new OkaError('refused', `${metadata.issuer} does not support PKCE with S256`);
  const { resource } = resourceMetadata ?? {};
  const checked = await selectResourceURL(url, {} as never, resourceMetadata);
  const scope = client.scope ?? asked ?? resourceMetadata?.scopes_supported?.join(' ') ?? null;
  return { metadata, resource: resource === undefined ? resourceUrlFromServerUrl(url) : (checked ?? url), scope };
}

async function clientFor(
  metadata: AuthorizationServerMetadata,
  scope: string | null,
  { client, redirectUrl, fetch }: LoginRequest,
): Promise<{ client_id: string; client_secret?: string | undefined }> {
  if (client.id !== null)
    return { client_id: client.id, ...(client.secret === null ? {} : { client_secret: client.secret }) };
  if (metadata.registration_endpoint === undefined)
    throw new OkaError('not-set-up', `oka cannot register itself at ${metadata.issuer}`, {
      fix: 'Register a client there, and write its id into the entry in .oka/rules/mcp.json: "oauth": {"clientId": "…", "callbackPort": 8123}',
    });
  return registerClient(metadata.issuer, {
    metadata,
    fetchFn: fetch,
    clientMetadata: {
      client_name: 'oka',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === null ? {} : { scope }),
    },
  });
}

type Refreshed = { kind: 'refreshed'; login: Login } | { kind: 'revoked'; why: string };

const FINAL_CODES = ['invalid_grant', 'invalid_client', 'unauthorized_client'];

/** Throws on a failure that may pass (O3). */
export async function refreshLogin(
  login: Login,
  refreshToken: string,
  { fetch, clock }: { fetch: typeof globalThis.fetch; clock: () => number },
): Promise<Refreshed> {
  const { issuer, authorizationEndpoint, tokenEndpoint, authMethods, clientId, clientSecret, resource } = login;
  try {
    const tokens = await refreshAuthorization(issuer, {
      metadata: {
        issuer,
        authorization_endpoint: authorizationEndpoint,
        token_endpoint: tokenEndpoint,
        response_types_supported: ['code'],
        ...(authMethods === null ? {} : { token_endpoint_auth_methods_supported: authMethods }),
      },
      clientInformation: { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) },
      refreshToken,
      resource,
      fetchFn: fetch,
    });
    return { kind: 'refreshed', login: { ...login, ...readTokens(tokens, refreshToken, clock()) } };
  } catch (error) {
    if (!(error instanceof OAuthError) || !FINAL_CODES.includes(error.code)) throw error;
    return { kind: 'revoked', why: messageOf(error).slice(0, 300) };
  }
}

function readTokens(
  { access_token: accessToken, refresh_token: next, expires_in: seconds }: OAuthTokens,
  before: string | null,
  now: number,
): Pick<Login, 'accessToken' | 'refreshToken' | 'expiresAt'> {
  return {
    accessToken,
    refreshToken: next ?? before,
    expiresAt: seconds === undefined ? null : now + seconds * 1000,
  };
}
