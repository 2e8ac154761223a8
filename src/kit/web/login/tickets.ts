/**
 * Owns: tickets: what a request that can carry no header shows instead of the key of its session. A ticket is for one
 * session and for looking only, is over after some minutes, and says nothing about the key.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Session } from './access.ts';

export type Tickets = ReturnType<typeof openTickets>;

const MINUTES = 10;

export function openTickets(now: () => number = Date.now) {
  const secret = randomBytes(32); // a dashboard that was started again gives new ones
  const sign = (session: string, until: number): string =>
    createHmac('sha256', secret).update(`${session} ${until}`).digest('base64url');
  return {
    issue: ({ id }: Session): string => {
      const until = now() + MINUTES * 60_000;
      return `${until}.${sign(id, until)}`;
    },
    isFor: ({ id }: Session, ticket: string): boolean => {
      const [, until = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(ticket) ?? [];
      if (until === '' || Number(until) < now()) return false;
      return timingSafeEqual(Buffer.from(sign(id, Number(until))), Buffer.from(signature));
    },
  };
}
