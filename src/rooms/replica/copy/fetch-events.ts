/**
 * Reads a replica from its first event on, a page at a time. Pages overlap by one event: otherwise a duplicate could hide
 * at the end of a page.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import type { Replica, ReplicaOf, WireEvent } from '../../../core/schema/replica-port.ts';

const PAGE_SIZE = 200;

/** Up to and including the seq `last`. A duplicate is yielded twice. */
export async function* fetchEvents(
  replica: Replica,
  of: ReplicaOf,
  last: number,
  signal: AbortSignal,
): AsyncGenerator<WireEvent> {
  let seen: WireEvent | null = null;
  for (let page = await fetchPageAfter(seen, replica, of, signal); page.length > 0; ) {
    for (const event of page) {
      if (event.seq > last) return;
      if (event.seq < (seen?.seq ?? 1))
        throw new OkaError('replica-refused', `the replica returned event ${event.seq} out of order`);
      yield event;
      seen = event;
    }
    page = await fetchPageAfter(seen, replica, of, signal);
  }
}

async function fetchPageAfter(
  seen: WireEvent | null,
  replica: Replica,
  of: ReplicaOf,
  signal: AbortSignal,
): Promise<WireEvent[]> {
  if (seen === null) return replica.page(of, 1, PAGE_SIZE, signal);
  const [overlap, ...page] = await replica.page(of, seen.seq, PAGE_SIZE, signal);
  if (overlap?.seq === seen.seq && page.length > 0) return page;
  return replica.page(of, seen.seq + 1, PAGE_SIZE, signal); // a page may contain just one large event, and none if that event is gone
}
