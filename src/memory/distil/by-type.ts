/** What is done with each type of event that matters somewhere; nothing with the others. */
import type { Event } from '../../schema/event.ts';

export type Of<T extends Event['type']> = Extract<Event, { type: T }>;
type Cases<A extends unknown[], R> = { readonly [T in Event['type']]?: (event: Of<T>, ...more: A) => R };

export function byType<A extends unknown[], R>(cases: Cases<A, R>): (event: Event, ...more: A) => R | null {
  return (event, ...more) => {
    const found = cases[event.type] as ((event: Event, ...more: A) => R) | undefined;
    return found === undefined ? null : found(event, ...more);
  };
}
