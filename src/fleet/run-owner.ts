/**
 * Owns: who owns a run, according to the messages on its subject. Pure.
 *
 * A run belongs to the worker of the last claim. Messages of earlier owners cannot follow it: they would have been
 * appended with an expected sequence that is not the last one any more, and the stream refuses that.
 */
import type { RunMessage } from '../schema/fleet.ts';

export type StoredMessage = { sequence: number; message: RunMessage };
export type RunOwner = { worker: string; process: string; epoch: number };

export type RunHistory = {
  owner: RunOwner | null;
  /** All claims, in order; the last one is that of the owner. */
  claims: RunOwner[];
  first: number;
  /** The last sequence on the subject; 0 when nobody has claimed the run yet. */
  last: number;
  events: StoredEvent[];
  /** The files of its folder, as they were last stored. */
  desk: string | null;
  /** The last event of each worker, by the number in its own ledger. */
  published: Map<string, number>;
  /** Whether its result was published. */
  isReturned: boolean;
  /** Whether an owner of it wrote something that cannot be read here, such as a newer version of oka. */
  isUnreadable: boolean;
};

export type StoredEvent = Extract<RunMessage, { kind: 'events' }>['events'][number];

/** The process of a message that cannot be read. */
export const UNREADABLE = 'unreadable';

export function foldHistory(messages: Iterable<StoredMessage>): RunHistory {
  const history: RunHistory = {
    owner: null,
    claims: [],
    first: 0,
    last: 0,
    events: [],
    desk: null,
    published: new Map(),
    isReturned: false,
    isUnreadable: false,
  };
  for (const { sequence, message } of messages) {
    if (history.first === 0) history.first = sequence;
    history.last = sequence;
    applyMessage(history, message);
  }
  return history;
}

/** Without a claim of its own before it, a message counts for its sequence only. */
function applyMessage(history: RunHistory, message: RunMessage): void {
  if (message.process === UNREADABLE && message.worker === history.owner?.worker) history.isUnreadable = true;
  if (message.kind !== 'claim' && !isOfOwner(history.owner, message)) return;
  switch (message.kind) {
    case 'claim':
      history.owner = ownerIn(message);
      history.claims.push(history.owner);
      return;
    case 'events':
      history.events.push(...message.events);
      history.desk = message.desk ?? history.desk;
      history.published.set(message.worker, message.events.at(-1)?.seq ?? 0);
      return;
    case 'returned':
      history.isReturned = true;
  }
}

const isOfOwner = (owner: RunOwner | null, { worker, process, epoch }: RunMessage): boolean =>
  owner?.worker === worker && owner.process === process && owner.epoch === epoch;

export const ownerIn = ({ worker, process, epoch }: RunMessage): RunOwner => ({ worker, process, epoch });

/** Whether two messages are the same one, so that an append whose answer was lost is recognised. */
export function isSameMessage(one: RunMessage, other: RunMessage): boolean {
  const numberOf = (message: RunMessage): number => (message.kind === 'events' ? message.number : 0);
  return (
    one.kind === other.kind &&
    one.worker === other.worker &&
    one.process === other.process &&
    one.epoch === other.epoch &&
    numberOf(one) === numberOf(other)
  );
}
