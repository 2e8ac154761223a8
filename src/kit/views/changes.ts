/**
 * What happens, as it happens: for whoever watches. It starts behind an event of each ledger, so that nobody reads
 * history to see what is new.
 */
import { type Filter, followEvents } from '../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import type { Line, Pen } from '../../core/schema/event.ts';

/** The last event of each ledger that is known already; a ledger that is left out is not followed. */
export type Known = { readonly [pen in Pen]?: number };

type ChangeOptions = { signal: AbortSignal; filter?: Pick<Filter, 'run' | 'type'> };

/** Events behind those that are known, then new ones as they come, until the signal. Each ledger in its order. */
export async function* changes(
  ledgers: Readonly<Record<Pen, string>>,
  after: Known,
  { signal, filter = {} }: ChangeOptions,
): AsyncGenerator<Line> {
  const next = new Map<AsyncGenerator<Line>, Promise<Step>>();
  const fetch = (source: AsyncGenerator<Line>): void =>
    void next.set(
      source,
      source.next().then((result) => ({ source, result })),
    );
  for (const [pen, seq] of Object.entries(after) as [Pen, number][])
    fetch(followEvents(ledgers[pen], { ...filter, from: seq + 1 }, signal));
  while (next.size > 0) {
    const { source, result } = await Promise.race(next.values());
    if (result.done === true) next.delete(source);
    else {
      fetch(source);
      yield result.value;
    }
  }
}

/** Where the given ledgers end now. */
export function knownNow(ledgers: Readonly<Record<Pen, string>>, pens: readonly Pen[]): Known {
  return Object.fromEntries(pens.map((pen) => [pen, lastSeqOf(ledgers[pen])]));
}

type Step = { source: AsyncGenerator<Line>; result: IteratorResult<Line, unknown> };
