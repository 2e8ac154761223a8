/** Made-up ledgers as they travel, and the real client typed by the real functions. */
import { hash } from 'node:crypto';
import { ConvexHttpClient } from 'convex/browser';
import { type ApiFromModules, anyApi } from 'convex/server';
import type * as replica from '../../convex/replica.ts';
import { NOTHING, type Pen, type WireEvent } from '../../convex/wire.ts';
import type { Json } from '../../src/core/schema/json.ts';

export type Sketch = {
  type?: string;
  run?: string | null;
  cause?: number | null;
  /** Data that can be read; or a body of any kind. */
  data?: Json;
  body?: WireEvent['body'];
};

export const api = (anyApi as unknown as ApiFromModules<{ replica: typeof replica }>).replica;

export function clientOf({ url }: { url: string }): ConvexHttpClient {
  return new ConvexHttpClient(url, { logger: false });
}

/** Sends everything, each time from the place in the last answer. Throws when it is refused. */
export async function sendAll(
  client: ConvexHttpClient,
  place: { ledger: string; pen: Pen },
  events: readonly WireEvent[],
): Promise<void> {
  for (let rest = events; rest.length > 0; ) {
    const answer = await client.mutation(api.append, { ...place, events: [...rest] });
    const left = answer.kind === 'ok' ? rest.filter(({ seq }) => seq >= answer.next) : rest;
    if (left.length === rest.length) throw new Error(`it does not go on: ${JSON.stringify(answer)}`);
    rest = left;
  }
}

/** Events that follow one another, and the head before them. */
export function chainEvents(sketches: readonly Sketch[], before: { seq: number; hash: string } = NOTHING): WireEvent[] {
  let { seq, hash: prev } = before;
  return sketches.map((sketch) => {
    seq += 1;
    const event = eventOf(sketch, seq, prev);
    prev = event.hash;
    return event;
  });
}

/** A history of so many events that say nothing of interest. */
export function plainHistory(length: number, mark = ''): WireEvent[] {
  return chainEvents(
    Array.from({ length }, (_, index) => ({ type: 'worker.started', data: { pid: index + 1, mark } })),
  );
}

function eventOf(sketch: Sketch, seq: number, prev: string): WireEvent {
  const { type = 'worker.started', run = null, cause = null } = sketch;
  const body = sketch.body ?? { kind: 'plain', text: JSON.stringify(sketch.data ?? {}) };
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
  const event = { seq, type, run, at, cause, v: 1, d: 0, prev, body };
  return { ...event, hash: hash('sha256', JSON.stringify(event)) };
}
