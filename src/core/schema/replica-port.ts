/** The port to a copy of the ledgers elsewhere, and what is sent to it. */
import type { Pen } from './event.ts';

/** An event as it is sent elsewhere. `plain` is its data as JSON text, byte for byte as in the ledger. */
export type WireBody =
  | { kind: 'plain'; text: string }
  | { kind: 'sealed'; text: string }
  | { kind: 'withheld'; why: string };

/** An event as it leaves: its place in the chain always, its body as far as it may. */
export type WireEvent = {
  seq: number;
  type: string;
  run: string | null;
  at: string;
  cause: number | null;
  v: number;
  d: number;
  prev: string;
  hash: string;
  body: WireBody;
};

/** `next` is the seq that it wants next; `fork` and `broken` mean that it has, or was sent, another history. */
export type Appended =
  | { kind: 'ok'; next: number }
  | { kind: 'gap'; next: number }
  | { kind: 'fork'; seq: number; theirs: string; ours: string }
  | { kind: 'broken'; seq: number };

/**
 * A copy of ledgers elsewhere. Failures are thrown as OkaError: replica-down when it may help to try again later,
 * replica-refused when it does not.
 */
export type Replica = {
  /** The last event it has, or null. */
  head(of: ReplicaOf, signal: AbortSignal): Promise<{ seq: number; hash: string } | null>;
  /** Events in order. What it has already it does not take twice: whoever is in doubt sends again. */
  append(of: ReplicaOf, events: readonly WireEvent[], signal: AbortSignal): Promise<Appended>;
  /** Events in order from a seq on, fewer than `limit` when they are large; none: there are no more. */
  page(of: ReplicaOf, from: number, limit: number, signal: AbortSignal): Promise<WireEvent[]>;
};

/** One ledger file of one home, by the name that the home has there. */
export type ReplicaOf = { ledger: string; pen: Pen };
