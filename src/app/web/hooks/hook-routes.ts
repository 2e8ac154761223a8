/**
 * Owns: POST /hooks/<name>: a signed call of another program, which becomes a task. It needs no session: its signature
 * is what counts, so it is also the one change that comes without an Origin. The worker checks it: no key is known here.
 */
import type { Context, Hono } from 'hono';
import { submitCall } from '../../../rooms/channels/hook-calls.ts';
import type { Home } from '../../../core/schema/home.ts';
import { MOST_CALL_BYTES } from '../../../core/schema/hook-call.ts';
import { problem, problemOf } from '../../../kit/web/api/problem.ts';
import { readBody } from '../../../kit/web/api/request-body.ts';
import type { Known } from '../../../kit/web/request-checks.ts';

/** Calls of one machine to one hook that were not accepted. Those with a right signature use up nothing. */
const MOST_A_MINUTE = 120;
const MOST_COUNTED = 10_000;

type HookPorts = Pick<Known, 'isKnownHost'> & {
  home: Home;
  sourceOf: (context: Context) => string;
  log: (line: string) => void;
};

export function addHookRoutes(app: Hono, { home, isKnownHost, sourceOf, log }: HookPorts): void {
  let minute = 0;
  const useless = new Map<string, number>();
  app.post('/hooks/:name', async (context) => {
    const { req } = context;
    const now = Date.now();
    if (Math.floor(now / 60_000) !== minute || useless.size > MOST_COUNTED) useless.clear();
    minute = Math.floor(now / 60_000);
    const counted = `${sourceOf(context)} ${req.param('name').slice(0, 80)}`;
    const count = (): void => void useless.set(counted, (useless.get(counted) ?? 0) + 1);
    if ((useless.get(counted) ?? 0) >= MOST_A_MINUTE)
      return problem(context, 429, 'refused', 'Too many calls. Try again in a minute.');
    if (!isKnownHost((req.header('host') ?? '').toLowerCase()))
      return problem(context, 421, 'refused', 'This dashboard is not known under that name.');
    try {
      const body = (await readBody(req.raw, MOST_CALL_BYTES)).toString('utf8');
      const header = (name: string): string => req.header(`webhook-${name}`) ?? '';
      const signed = { id: header('id'), timestamp: header('timestamp'), signature: header('signature'), body };
      const outcome = await submitCall(home, { hook: req.param('name'), ...signed, received: now }, req.raw.signal);
      if (outcome === null || outcome.status === 'refused') count();
      if (outcome === null) return context.json({ status: 'stored' }, 202);
      if (outcome.status !== 'refused') return context.json(outcome, outcome.status === 'accepted' ? 202 : 200);
      log(`hook ${req.param('name').slice(0, 40)}: a call was refused: ${outcome.reason}`);
      return problem(context, 401, 'not-permitted', 'The call was not accepted.');
    } catch (error) {
      return problemOf(context, error);
    }
  });
}
