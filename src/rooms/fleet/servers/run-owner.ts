/**
 * Owns: who owns a run, according to the messages on its subject. Pure.
 *
 * A run belongs to the worker of the last claim. Messages of earlier owners cannot follow it: they would have been
 * appended with an expected sequence that is not the last one any more, and the stream refuses that.
 *
 * W1 Every message says after which one it was appended, so that messages that are gone, or were changed, are noticed.
 * W2 A refill counts when all of its events are there: then the history begins with it. Until then it is damaged.
 */
import type { RunMessage } from '../../../core/schema/fleet.ts';

export type StoredMessage = {
  sequence: number;
  /** The last sequence on the subject when it was appended; absent when its publisher did not say. */
  after?: number;
  /** Whether it is not what its publisher appended. */
  isChanged?: boolean;
  /** When the servers got it, by their clock. */
  at?: string;
  message: RunMessage;
};
export type RunOwner = { worker: string; process: string; epoch: number };

export type RunHistory = {
  owner: RunOwner | null;
  /** All claims, in order; the last one is that of the owner. */
  claims: RunOwner[];
  /** The epoch up to which the owner knows the run: that of its claim, or the one that it refilled the run from. */
  known: number;
  /** When the servers got the last message of all. */
  heard: string | null;
  /** The highest epoch of all messages. */
  epoch: number;
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
  /** What is missing or wrong, so that nobody may go on from here; null when all is there. */
  damage: string | null;
};

export type StoredEvent = Extract<RunMessage, { kind: 'events' }>['events'][number];

/** The process of a message that cannot be read. */
export const UNREADABLE = 'unreadable';

export function foldHistory(messages: Iterable<StoredMessage>): RunHistory {
  let history = emptyHistory(0);
  let refill: { to: RunHistory; events: number } | null = null;
  for (const stored of messages) {
    const { sequence, after, message } = stored;
    if (message.kind === 'claim' || refill === null) applyStored(history, stored);
    if (message.kind === 'claim')
      refill =
        message.refill === undefined
          ? null
          : { to: emptyHistory(after ?? history.last), events: message.refill.events };
    if (refill === null) continue;
    applyStored(refill.to, stored);
    history.last = sequence;
    history.damage = `a refill by ${history.owner?.worker} has ${refill.to.events.length} of ${refill.events} events`;
    if (refill.to.events.length === refill.events) [history, refill] = [refill.to, null];
  }
  return history;
}

const emptyHistory = (last: number): RunHistory => ({
  owner: null,
  claims: [],
  known: 0,
  heard: null,
  epoch: 0,
  first: 0,
  last,
  events: [],
  desk: null,
  published: new Map(),
  isReturned: false,
  isUnreadable: false,
  damage: null,
});

/** W1. The owner is known from its events, too, if its claim is gone. */
function applyStored(history: RunHistory, { sequence, after, isChanged, at, message }: StoredMessage): void {
  if (isChanged === true) history.damage ??= `message ${sequence} is not what was published`;
  if (after !== undefined && after !== history.last)
    history.damage ??= `messages between ${history.last} and ${sequence} are missing`;
  if (history.first === 0) history.first = sequence;
  history.last = sequence;
  history.heard = at ?? history.heard;
  history.epoch = Math.max(history.epoch, message.epoch);
  const isReadable = message.process !== UNREADABLE;
  if (history.damage !== null && isReadable && message.epoch > (history.owner?.epoch ?? 0))
    [history.owner, history.known] = [ownerIn(message), message.epoch];
  applyMessage(history, message);
}

/** Without a claim of its own before it, a message counts for its sequence only. */
function applyMessage(history: RunHistory, message: RunMessage): void {
  if (message.process === UNREADABLE && message.worker === history.owner?.worker) history.isUnreadable = true;
  if (message.kind !== 'claim' && !isOfOwner(history.owner, message)) return;
  switch (message.kind) {
    case 'claim':
      history.owner = ownerIn(message);
      history.known = message.refill?.from ?? message.epoch;
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
