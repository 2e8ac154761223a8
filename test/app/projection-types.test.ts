/** The types that a projection declares are all that it handles: it is not called with any other event. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../src/app/rooms.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Projection } from '../../src/core/schema/ports.ts';

const projections = (await Promise.all(rooms.map(async (room) => (await room.projections?.()) ?? []))).flat();
const goldens = ['v4', 'v8', 'v12'].map((name) => join(import.meta.dirname, `../fixture/golden/${name}.jsonl`));

const folded = (projection: Projection<unknown>, events: readonly Event[]): unknown =>
  structuredClone(events).reduce((state, event) => projection.apply(state, event), projection.initial());

describe.each(projections.map((projection) => [projection.name, projection] as const))('%s', (_, projection) => {
  it.each(goldens)('P4 comes to the same state without the events that it does not handle', async (file) => {
    const events = await Array.fromAsync(readEvents(file));
    const handled = events.filter(({ type }) => projection.types?.includes(type) ?? true);
    expect(folded(projection, handled)).toEqual(folded(projection, events));
  });
});
