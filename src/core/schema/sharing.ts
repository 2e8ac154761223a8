/** What homes let each other know: rooms contribute one kind each, and whoever reaches other homes carries it. */
import type { Event, NewEvent, Pen } from './event.ts';
import type { Shared } from './fleet-memory.ts';
import type { FactGiven } from './memory.ts';
import type { Redact } from './ports.ts';
import type { Rows } from './rows.ts';

export type SharingOptions = { topics: readonly string[]; redact: Redact; now: number; bytes: number };

/** One kind of what homes let each other know. A room contributes it. */
export type Sharing = {
  kind: keyof Shared;
  /** What the others get, each as JSON, in at most so many bytes. Nothing that redaction would change is among it. */
  own(rows: Rows, options: SharingOptions): string[];
  /** The events with which this home follows what a member shares now. */
  follow(member: string, shared: Shared, here: { rows: Rows; hasTool: (name: string) => boolean }): NewEvent[];
  /** The facts that are valid after these events of another home, which come in their one order. */
  readonly factsAfter?: (events: readonly Event[]) => readonly FoldedFact[];
};

/** An event of a home. */
export type FactPlace = { pen: Pen; seq: number };

/** `place`: the event that stored the fact. `replaces`: the events that stored it, or a fact it supersedes, before. */
export type FoldedFact = { fact: Omit<FactGiven, 'supersedes'>; place: FactPlace; replaces: readonly FactPlace[] };
