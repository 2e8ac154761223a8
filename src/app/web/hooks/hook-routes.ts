/**
 * Owns: POST /hooks/<name>: a signed call of another program, which becomes a task. It needs no session: its signature
 * is what counts, so it is also the one change that comes without an Origin. The worker checks it: no key is known here.
 */
import type { Context, Hono } from 'hono';
import { submitCall } from '../../../rooms/channels/hook-calls.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { MOST_CALL_BYTES } from '../../../core/schema/hook-call.ts';
import { problem, problemOf } from '../../../kit/web/api/problem.ts';
import { readBody } from '../../../kit/web/api/request-body.ts';
import type { Known } from '../../../kit/web/request-checks.ts';

/**
 * Calls of one hook that are with the worker at once; those behind them wait in line. Who has signed is known afterwards,
 * so nothing is counted before: strangers use up nothing of whoever has the key, also where all come through one proxy.
 */
const MOST_AT_ONCE = 16;
const MOST_IN_LINE = 1000;

type HookPorts = Pick<Known, 'isKnownHost'> & {
  home: Home;
  sourceOf: (context: Context) => string;
  log: (line: string) => void;
};

export function addHookRoutes(app: Hono, { home, isKnownHost, sourceOf, log }: HookPorts): void {
  const inTurn = openLines();
  app.post('/hooks/:name', async (context) => {
    const { req } = context;
    const hook = req.param('name');
    if (!isKnownHost((req.header('host') ?? '').toLowerCase()))
      return problem(context, 421, 'refused', 'This dashboard is not known under that name.');
    try {
      const body = (await readBody(req.raw, MOST_CALL_BYTES)).toString('utf8');
      const header = (name: string): string => req.header(`webhook-${name}`) ?? '';
      const signed = { id: header('id'), timestamp: header('timestamp'), signature: header('signature'), body };
      const call = { hook, ...signed, received: Date.now() };
      const outcome = await inTurn(hook, () =>
        submitCall(home, call, { source: sourceOf(context), signal: req.raw.signal }),
      );
      if (outcome === null) return context.json({ status: 'stored' }, 202);
      if (outcome.status !== 'refused') return context.json(outcome, outcome.status === 'accepted' ? 202 : 200);
      log(`hook ${hook.slice(0, 40)}: a call was refused: ${outcome.reason}`);
      return problem(context, 401, 'not-permitted', 'The call was not accepted.');
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

/** First come, first served, each hook for itself. */
function openLines(): <Result>(hook: string, submit: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async (hook, submit) => {
    const line = lines.get(hook) ?? { running: 0, waiting: [] };
    lines.set(hook, line);
    if (line.waiting.length >= MOST_IN_LINE)
      throw new OkaError('not-set-up', 'too many calls wait for the worker; call again later');
    if (line.running >= MOST_AT_ONCE) await new Promise<void>((turn) => void line.waiting.push(turn));
    else line.running += 1; // whoever is called from the line takes the place of the one before
    try {
      return await submit();
    } finally {
      const next = line.waiting.shift();
      if (next === undefined) line.running -= 1;
      else next();
      if (line.running === 0) lines.delete(hook);
    }
  };
}
