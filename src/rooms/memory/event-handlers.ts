/** Calls the handler of an event's type, if there is one. */
import type { Event } from '../../core/schema/event.ts';

export type EventOf<T extends Event['type']> = Extract<Event, { type: T }>;
export type Handlers<A extends unknown[], R> = { readonly [T in Event['type']]?: (event: EventOf<T>, ...more: A) => R };

export function handleByType<A extends unknown[], R>(handlers: Handlers<A, R>): (event: Event, ...more: A) => R | null {
  return (event, ...more) => {
    const handler = handlers[event.type] as ((event: Event, ...more: A) => R) | undefined;
    return handler === undefined ? null : handler(event, ...more);
  };
}
