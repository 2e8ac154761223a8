/**
 * Owns: logging in and out. A one-time link carries its secret behind the `#`, which no browser sends anywhere; the page
 * posts it, gets a cookie that scripts cannot read and a key that it keeps for its origin, and forgets the link.
 */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { problem, problemOf } from '../api/problem.ts';
import { readJsonBody } from '../api/request-body.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { describeIssues } from '../describe-issues.ts';
import { type Access, hasKey, type Session } from './access.ts';
import { browserName } from './browser-name.ts';
import { countAttempts } from './attempts.ts';
import type { Tickets } from './tickets.ts';

type Cookie = { name: string; path: string; isSecure: boolean };
export type Door = { access: Access; cookie: Cookie; tickets: Tickets };

/** Pictures, frames, downloads and the stream of events. */
const TICKET_PATHS = /\/(files\/.*|artifacts\/.*|api\/v1\/(events|run-export))$/;

const Login = z.union([
  z.strictObject({ link: z.string().max(200) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
]);
const MOST_BYTES = 10_000;
const COOKIE_SECONDS = 30 * 86_400;

type Refusal = { isTooOften: boolean; message: string };
/** Null when what somebody shows is right; a link is used up. */
type CheckProof = (context: Context, proof: z.infer<typeof Login>) => Promise<Refusal | null>;

/** `sourceOf` tells apart who tries. */
export function openProofs({ access }: Door, sourceOf: (context: Context) => string): CheckProof {
  const attempts = countAttempts();
  return async (context, proof) => {
    const isLink = 'link' in proof;
    // A link cannot be guessed, so that nobody who guesses passphrases locks its owner out.
    const wait = isLink ? 0 : attempts.begin(sourceOf(context));
    if (wait > 0) {
      context.header('Retry-After', String(wait));
      return { isTooOften: true, message: `Too many attempts. Try again in ${wait} s.` };
    }
    const isRight = isLink ? access.useLink(proof.link) : await access.isPassphrase(proof.passphrase);
    if (!isRight) return { isTooOften: false, message: WRONG[isLink ? 'link' : 'passphrase'] };
    if (!isLink) attempts.succeeded(sourceOf(context));
    return null;
  };
}

/** A link as a person pastes it, whole or only its secret; anything else is a passphrase. */
export function proofIn(text: string): z.infer<typeof Login> {
  const [, link] = /^(?:\S*#)?([\w-]{43})$/.exec(text) ?? [];
  return link === undefined ? { passphrase: text } : { link };
}

/** Logging in. */
export function addLoginRoutes(app: Hono, door: Door, check: CheckProof): void {
  const { access, cookie } = door;
  app.post('/api/v1/login', async (context) => {
    try {
      const { success, data, error } = Login.safeParse(await readJsonBody(context, MOST_BYTES));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      const refused = await check(context, data);
      if (refused !== null)
        return problem(
          context,
          refused.isTooOften ? 429 : 401,
          refused.isTooOften ? 'refused' : 'not-permitted',
          refused.message,
          NEW_LINK,
        );
      const { secret, key } = access.start('browser', browserName(context.req.header('user-agent')), 'all');
      context.header('Set-Cookie', cookieText(cookie, secret, COOKIE_SECONDS));
      return context.json({ ok: true, key });
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.get('/api/v1/login', (context) =>
    context.json({ session: sessionOf(context, door) !== null, passphrase: access.hasPassphrase() }),
  );
  app.post('/api/v1/logout', (context) => {
    const session = sessionOf(context, door);
    if (session !== null) access.end(session.id);
    context.header('Set-Cookie', cookieText(cookie, '', 0));
    return context.json({ ok: true });
  });
}

export const NEW_LINK = 'Get a new link: oka web link';
const WRONG = {
  link: 'This link was used before, or is too old.',
  passphrase: 'That is not the passphrase.',
};

/** Lets only known sessions through, and only those with all rights to what changes something. */
export function requireSession(door: Door): MiddlewareHandler {
  return async (context, next) => {
    const session = sessionOf(context, door);
    if (session === null) return problem(context, 401, 'not-permitted', 'Log in first.', 'Get a link: oka web link');
    if (session.rights === 'read' && context.req.method !== 'GET' && context.req.method !== 'HEAD')
      return problem(context, 403, 'not-permitted', 'This token may only look.');
    await next();
  };
}

/** The short-lived pass for what can carry no header. */
export function addTicketRoute(app: Hono, door: Door): void {
  app.get('/api/v1/ticket', (context) => {
    const session = sessionOf(context, door);
    if (session === null) return problem(context, 401, 'not-permitted', 'Log in first.');
    return context.json({ ticket: door.tickets.issue(session) });
  });
}

/** A token; or a browser that shows both halves of its session, or a ticket where it only looks. */
export function sessionOf(context: Context, door: Door): Session | null {
  const { req } = context;
  const bearer = bearerOf(context);
  if (bearer !== null) {
    const session = door.access.find(bearer);
    return session?.kind === 'token' ? session : null;
  }
  const session = cookieSession(context, door);
  if (session === null) return null;
  if (hasKey(session, req.header('x-oka-key') ?? '')) return session;
  const ticket = req.method === 'GET' && TICKET_PATHS.test(req.path) ? (req.query('ticket') ?? '') : '';
  return ticket !== '' && door.tickets.isFor(session, ticket) ? session : null;
}

/** A browser that shows its cookie, which proves little: it may see a page without data. */
export function cookieSession({ req }: Context, { access, cookie }: Door): Session | null {
  const secret = cookieOf(req.header('cookie') ?? '', cookie.name);
  const session = secret === null ? null : access.find(secret);
  return session?.kind === 'browser' && session.key !== undefined ? session : null;
}

const bearerOf = ({ req }: Context): string | null =>
  /^Bearer ([\w-]{1,100})$/i.exec(req.header('authorization') ?? '')?.[1] ?? null;

function cookieOf(header: string, name: string): string | null {
  for (const part of header.split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name) return value ?? '';
  }
  return null;
}

function cookieText({ name, path, isSecure }: Cookie, value: string, seconds: number): string {
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}
