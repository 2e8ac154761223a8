/** Stores that live in memory, for embedding the engine elsewhere and for running it without any. */
import { checkEvent, type Event } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { Cache, Clock, EventStore, RunStore } from '../schema/ports.ts';

type MemoryEvents = EventStore & { all: readonly Event[] };

export function memoryEvents(clock: Clock): MemoryEvents {
  const all: Event[] = [];
  return {
    all,
    stage: (event) => {
      const staged = {
        ...checkEvent(event),
        seq: all.length + 1,
        at: new Date(clock()).toISOString(),
        pen: 'run',
      } as Event;
      all.push(staged);
      return staged;
    },
    flush: () => Promise.resolve(),
    read: ({ run, from = 1 }) => all.slice(from - 1).filter((event) => event.run === run),
  };
}

export function memoryRuns(): RunStore {
  const stored = new Map<string, { seq: number; state: Json }>();
  return {
    save: async (run, snapshot) => void stored.set(run, structuredClone(snapshot)),
    load: async (run) => structuredClone(stored.get(run) ?? null),
  };
}

export function memoryCache(): Cache {
  const kept = new Map<string, Json>();
  return { get: async (key) => kept.get(key) ?? null, set: async (key, value) => void kept.set(key, value) };
}
