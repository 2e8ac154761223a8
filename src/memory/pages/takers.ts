/** What a part does with each type of event it cares about; of the others it takes no note. */
import type { Event } from '../../schema/event.ts';
import type { Book, Part } from '../book.ts';

export type Of<T extends Event['type']> = Extract<Event, { type: T }>;
export type Takers = { readonly [T in Event['type']]?: (event: Of<T>, book: Book) => void };

export const taking =
  (takers: Takers): Part['take'] =>
  ({ event }, book) =>
    (takers[event.type] as ((event: Event, book: Book) => void) | undefined)?.(event, book);
