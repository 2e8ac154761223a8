/** Owns: comparing a run in the stream of the fleet with the ledger of the member that wrote it. */
import { isDeepStrictEqual } from 'node:util';
import { foldHistory, type StoredMessage } from './servers/run-owner.ts';
import { readEvents } from '../../core/ledger/read-events.ts';

export type RunComparison = {
  run: string;
  /** Events of this member in the stream. */
  events: number;
  /** Numbers of events whose content differs, or which the ledger does not have. */
  different: number[];
  /** Messages of a claim whose epoch is not one more than the one before, or that follow no claim of theirs. */
  unfenced: number;
  /** What is missing or wrong in the stream; null when all is there. */
  damage: string | null;
  verdict: 'same' | 'different';
};

export async function compareRun(
  ledgerFile: string,
  run: string,
  worker: string,
  all: readonly StoredMessage[],
): Promise<RunComparison> {
  const { first: begin, damage } = foldHistory(all);
  const messages = all.filter(({ sequence }) => sequence >= begin); // a refill replaces what was before it
  const published = new Map<number, unknown>();
  for (const { message } of messages)
    if (message.kind === 'events' && message.worker === worker)
      for (const event of message.events) published.set(event.seq, event);
  const [from, to] = [Math.min(...published.keys()), Math.max(...published.keys())];
  const different = new Set(published.keys());
  if (published.size > 0)
    for await (const { seq, type, run: of, at, pen, cause, v, data } of readEvents(ledgerFile, { from, to }))
      if (isDeepStrictEqual(published.get(seq), { seq, type, run: of, at, pen, cause, v, data })) different.delete(seq);
  const unfenced = countUnfenced(messages);
  const verdict = different.size === 0 && unfenced === 0 && damage === null ? 'same' : 'different';
  return { run, events: published.size, different: [...different].slice(0, 100), unfenced, damage, verdict };
}

function countUnfenced(messages: readonly StoredMessage[]): number {
  let epoch = 0;
  let owner = '';
  let count = 0;
  for (const { message } of messages) {
    const isClaim = message.kind === 'claim';
    const isNext = isClaim && (message.refill === undefined ? message.epoch === epoch + 1 : message.epoch > epoch);
    const isFine = isClaim ? isNext : message.epoch === epoch && message.process === owner;
    if (!isFine) count += 1;
    if (isClaim) [epoch, owner] = [message.epoch, message.process];
  }
  return count;
}
