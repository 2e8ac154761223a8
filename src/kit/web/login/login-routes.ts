/**
 * Owns: logging in and out. A one-time link carries its secret behind the `#`, which no browser sends anywhere; the page
 * posts it, gets a cookie that scripts cannot read, and forgets the link.
 */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { problem, problemOf } from '../api/problem.ts';
import { readJsonBody } from '../api/request-body.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { describeIssues } from '../describe-issues.ts';
import type { Access, Session } from './access.ts';
import { countAttempts } from './attempts.ts';

export type Cookie = { name: string; path: string; isSecure: boolean };

const Login = z.union([
  z.strictObject({ link: z.string().max(200) }),
  z.strictObject({ passphrase: z.string().max(1000) }),
]);
const MOST_BYTES = 10_000;
const COOKIE_SECONDS = 30 * 86_400;

export function addLoginRoutes(app: Hono, access: Access, cookie: Cookie): void {
  const attempts = countAttempts();
  app.post('/api/v1/login', async (context) => {
    try {
      const wait = attempts.waitSeconds();
      if (wait > 0) {
        context.header('Retry-After', String(wait));
        return problem(context, 429, 'refused', `Too many attempts. Try again in ${wait} s.`);
      }
      const { success, data, error } = Login.safeParse(await readJsonBody(context, MOST_BYTES));
      if (!success) throw new OkaError('usage', describeIssues(error, 'field'));
      const isRight = 'link' in data ? access.useLink(data.link) : access.isPassphrase(data.passphrase);
      if (!isRight) {
        attempts.failed();
        return problem(
          context,
          401,
          'not-permitted',
          WRONG['link' in data ? 'link' : 'passphrase'],
          'Get a new link: oka web link',
        );
      }
      attempts.succeeded();
      const { secret } = access.start('browser', context.req.header('user-agent') ?? 'a browser', 'all');
      context.header('Set-Cookie', cookieText(cookie, secret, COOKIE_SECONDS));
      return context.json({ ok: true });
    } catch (error) {
      return problemOf(context, error);
    }
  });
  app.get('/api/v1/login', (context) =>
    context.json({ session: sessionOf(context, access, cookie) !== null, passphrase: access.hasPassphrase() }),
  );
  app.post('/api/v1/logout', (context) => {
    const session = sessionOf(context, access, cookie);
    if (session !== null) access.end(session.id);
    context.header('Set-Cookie', cookieText(cookie, '', 0));
    return context.json({ ok: true });
  });
}

const WRONG = {
  link: 'This link was used before, or is too old.',
  passphrase: 'That is not the passphrase.',
};

/** Lets only known sessions through, and only those with all rights to what changes something. */
export function requireSession(access: Access, cookie: Cookie): MiddlewareHandler {
  return async (context, next) => {
    const session = sessionOf(context, access, cookie);
    if (session === null) return problem(context, 401, 'not-permitted', 'Log in first.', 'Get a link: oka web link');
    if (session.rights === 'read' && context.req.method !== 'GET' && context.req.method !== 'HEAD')
      return problem(context, 403, 'not-permitted', 'This token may only look.');
    await next();
  };
}

export function sessionOf({ req }: Context, access: Access, cookie: Cookie): Session | null {
  const bearer = /^Bearer ([\w-]{1,100})$/.exec(req.header('authorization') ?? '')?.[1];
  const secret = bearer ?? cookieOf(req.header('cookie') ?? '', cookie.name);
  const session = secret === null || secret === undefined ? null : access.find(secret);
  return session !== null && (session.kind === 'token') === (bearer !== undefined) ? session : null;
}

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
