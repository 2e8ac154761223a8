/** What a part does with each type of event it cares about; of the others it takes no note. */
import type { Event } from '../../schema/event.ts';
import type { Part } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';

export type Of<T extends Event['type']> = Extract<Event, { type: T }>;
export type Takers = { readonly [T in Event['type']]?: (event: Of<T>, book: Rows) => void };

export const taking =
  (takers: Takers): Part['take'] =>
  ({ event }, book) =>
    (takers[event.type] as ((event: Event, book: Rows) => void) | undefined)?.(event, book);
