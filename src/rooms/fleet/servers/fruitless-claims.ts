/**
 * Owns: whether a task ends the workers that take it, according to the messages on the subject of its run. Pure.
 *
 * A claim was fruitless if its process got nothing done: no call ended by itself, nothing was asked, nothing was stopped in
 * good order. A process that died while the run waited for somebody had nothing to do with it, nor had one that refilled
 * it. Claims of one process count once: it was not ended if it could claim again.
 */
import type { RunMessage } from '../../../core/schema/fleet.ts';
import type { StoredEvent, StoredMessage } from './run-owner.ts';

export type FruitlessClaim = {
  worker: string;
  process: string;
  epoch: number;
  version: string;
  last: string[];
  /** Where the next claim is; null for the last one. */
  until: number | null;
};

/** After so many workers a task is set aside. */
export const MOST_FRUITLESS = 3;
const MOST_LAST = 5;

type Attempt = { claim: FruitlessClaim; isFruitless: boolean };

/** The claims without success since the last one with some. */
export function fruitlessClaims(messages: Iterable<StoredMessage>): FruitlessClaim[] {
  const attempts: Attempt[] = [];
  const waits = new Set<string>();
  for (const { sequence, message } of messages) {
    const before = attempts.at(-1);
    if (message.kind === 'claim' && before !== undefined) before.claim.until = sequence;
    if (message.kind === 'claim') attempts.push(newAttempt(message, waits.size > 0 || message.refill !== undefined));
    const attempt = attempts.at(-1);
    if (message.kind !== 'events' || attempt === undefined) continue;
    for (const event of message.events) applyEvent(attempt, waits, event);
  }
  const since = attempts.slice(attempts.findLastIndex(({ isFruitless }) => !isFruitless) + 1);
  return [...new Map(since.map(({ claim }) => [claim.process, claim])).values()];
}

function newAttempt(message: Extract<RunMessage, { kind: 'claim' }>, isHarmless: boolean): Attempt {
  const { worker, process, epoch, version } = message;
  return { claim: { worker, process, epoch, version, last: [], until: null }, isFruitless: !isHarmless };
}

function applyEvent(attempt: Attempt, waits: Set<string>, { type, data }: StoredEvent): void {
  const { wait, call, tool, status, stopped, for: awaited } = data as Partial<Data>;
  const isForChild = awaited?.kind === 'child';
  if (type === 'wait.opened' && !isForChild && wait !== undefined) waits.add(wait);
  if (type === 'wait.closed' && wait !== undefined) waits.delete(wait);
  const isEnd = type === 'call.ended' && ((status !== 'cancelled' && !isForChild) || stopped === true);
  if (isEnd || type === 'run.paused' || (type === 'wait.opened' && !isForChild)) attempt.isFruitless = false;
  const { claim } = attempt;
  claim.last = [...claim.last, [type, call, tool].filter((word) => word !== undefined).join(' ')].slice(-MOST_LAST);
}

type Data = {
  wait: string;
  call: string;
  tool: string;
  status: string;
  stopped: boolean;
  for: { kind: string };
};
