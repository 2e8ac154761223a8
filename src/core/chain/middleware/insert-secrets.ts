/**
 * Puts values in place of names such as secret:NAME, for one call and in memory only, and takes known values out of what
 * comes back: no middleware outside of this one, and nobody behind them, gets to see any.
 */
import type { Json } from '../../schema/json.ts';
import type { Middleware, Redact } from '../../schema/ports.ts';
import type { Outcome } from '../../schema/tool.ts';
import type { Reveal } from '../reveal-secrets.ts';

export function secrets(reveal?: Reveal, redact: Redact = (text) => text): Middleware {
  if (reveal === undefined) return { name: 'secrets' };
  return {
    name: 'secrets',
    call: async (call, next) => {
      if (call.aside !== undefined) return next(call); // nothing runs that could use a secret
      const revealed = await reveal(call);
      return 'status' in revealed ? revealed : redactOutcome(await next(revealed), redact);
    },
  };
}

/** The outcome itself when there is nothing in it to take out. */
function redactOutcome(outcome: Outcome, redact: Redact): Outcome {
  const clean = redactJson(outcome as unknown as Json, redact);
  return clean as unknown as Outcome;
}

function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, redact));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const fields = Object.entries(value).map(([key, item]) => [redact(key), redactJson(item, redact)] as const);
  return fields.every(([key, item]) => value[key] === item) ? value : Object.fromEntries(fields);
}
