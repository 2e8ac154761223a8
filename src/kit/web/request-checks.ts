/**
 * Owns: what every request has to pass before anything reads it, and the headers that every answer has.
 *
 * 1. Host: only names under which we are known. A page elsewhere whose name was pointed at us (DNS rebinding) is refused.
 * 2. A change comes from our own pages: its Origin is ours, and its body is of a type that a form cannot send.
 * 3. Another site can neither read an answer, nor frame a page, nor be told where a visitor came from.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { problem } from './api/problem.ts';

export type Known = {
  /** Whether a value of the Host header is ours, in lower case. */
  readonly isKnownHost: (host: string) => boolean;
  /** The Origin of a proxy in front of us; null when there is none. */
  readonly proxyOrigin: string | null;
};

const BEARER = /^Bearer [\w-]{1,100}$/i;
const CHANGES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** What a task brings is sent as bytes; a form of another site cannot send either without asking first. */
const BODY_TYPES = /^application\/(json|octet-stream)\s*(;|$)/i;

export function checkRequests({ isKnownHost, proxyOrigin }: Known): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    const host = (req.header('host') ?? '').toLowerCase();
    if (!isKnownHost(host))
      return problem(context, 421, 'refused', 'This dashboard is not known under that name.', HOST_FIX);
    const origin = req.header('origin');
    if (origin !== undefined && origin.toLowerCase() !== `http://${host}` && origin.toLowerCase() !== proxyOrigin)
      return problem(context, 403, 'refused', 'The request comes from another site.');
    const site = req.header('sec-fetch-site');
    if (site !== undefined && !isOwnSite(site, context))
      return problem(context, 403, 'refused', 'The request comes from another site.');
    if (CHANGES.has(req.method)) {
      // Programs with a token come without one; only what is a token counts, and it is checked like every other.
      if (origin === undefined && !BEARER.test(req.header('authorization') ?? ''))
        return problem(context, 403, 'refused', 'A change needs the Origin header of the dashboard, or a token.');
      if (!BODY_TYPES.test(req.header('content-type') ?? ''))
        return problem(context, 415, 'usage', 'Send application/json.');
    } else if (req.method !== 'GET' && req.method !== 'HEAD')
      return problem(context, 405, 'usage', `${req.method} is not supported.`);
    await next();
    addHeaders(context);
  };
}

const HOST_FIX =
  'Name the address in .oka/rules/config.json: {"web": {"address": "https://…"}}. The address of a machine works once there is a passphrase: oka web passphrase';

/** A link on another site may open a page; nothing else of ours is read from there. */
function isOwnSite(site: string, { req }: Context): boolean {
  if (site === 'same-origin' || site === 'none') return true;
  return (
    req.method === 'GET' && req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document'
  );
}

const HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-DNS-Prefetch-Control': 'off', // a name in a link is resolved when somebody follows it, not because it is shown
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'Cache-Control': 'no-store',
};

/** What an answer has set itself stays. */
function addHeaders({ res: { headers } }: Context): void {
  for (const [name, value] of Object.entries(HEADERS)) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has('Content-Security-Policy'))
    headers.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
}
