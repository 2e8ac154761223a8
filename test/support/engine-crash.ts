/** An event store that knows what was staged and what is durable, and dies in the middle of it. */
import { checkEvent, type Event } from '../../src/core/schema/event.ts';
import type { Clock, EventStore } from '../../src/core/schema/ports.ts';

export type CrashingEvents = EventStore & {
  /** Everything that was staged, also what the crash takes away. */
  all: Event[];
  /** How many of them are durable. */
  durable: () => number;
  hasCrashed: () => boolean;
  crash: Promise<void>;
};

/** More events than any run of these tests needs: whoever gets here goes round in circles. */
const MOST_EVENTS = 4000;

/** A disk takes longer than a few microtasks: so code that does not wait for it fails. */
const FLUSH_TURNS = 12;

/** `survived` is what the life before left; after `steps` times of staging or flushing, nothing more happens. */
export function crashingEvents(clock: Clock, survived: readonly Event[], steps: number): CrashingEvents {
  const all = [...survived];
  let durable = all.length;
  let left = steps;
  const { promise: crash, resolve } = Promise.withResolvers<void>();
  const isOver = (): boolean => left <= 0;
  const step = (): void => {
    left -= 1;
    if (isOver()) resolve();
  };
  return {
    all,
    durable: () => durable,
    hasCrashed: isOver,
    crash,
    stage: (event) => {
      if (isOver()) throw new Error('the world has stopped');
      if (all.length >= MOST_EVENTS) throw new Error('this run does not come to an end');
      const staged = { ...checkEvent(event), seq: all.length + 1, at: new Date(clock()).toISOString(), pen: 'run' };
      all.push(staged as Event);
      step();
      if (isOver()) throw new Error('the world stops');
      return staged as Event;
    },
    flush: async () => {
      const upTo = all.length;
      for (let left = FLUSH_TURNS; left > 0; left -= 1) await Promise.resolve();
      step();
      if (isOver()) return new Promise<void>(() => undefined);
      durable = Math.max(durable, upTo);
    },
    read: ({ run, from = 1 }) => all.slice(from - 1).filter((event) => event.run === run),
  };
}
