/**
 * Owns: one attempt of a delivery, recorded before and after (D1 in core/schema/channel-port.ts).
 *
 * A1 Nothing is sent before the ledger says so; what the ledger cannot record is not sent.
 * A2 An attempt ends: a channel that does not answer is given up on after a minute, and tried again later.
 */
import { once } from 'node:events';
import type { Channel, DeliveryOutcome, DeliveryStarted } from '../../core/schema/channel-port.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { deliveryEnded, deliveryStarted } from './channel-events.ts';
import type { Composed } from './compose-message.ts';

type Attempt = {
  start: DeliveryStarted;
  compose: () => Composed;
  open: () => Promise<Channel>;
  ledger: Pick<LedgerPort, 'append'>;
  signal: AbortSignal;
  now: () => number;
};

const ATTEMPT_MS = 60_000;
const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 900_000;

export async function sendDelivery({ start, compose, open, ledger, signal, now }: Attempt): Promise<DeliveryOutcome> {
  await ledger.append(deliveryStarted(start));
  const { delivery, channel } = start;
  const outcome = await attempt(start, compose, open, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]));
  if (signal.aborted && outcome.status === 'failed') return outcome; // the next process tries again
  if (outcome.status === 'sent') {
    const ref = outcome.ref === null ? {} : { ref: outcome.ref };
    await ledger.append(deliveryEnded({ delivery, channel, status: 'sent', ...ref }));
    return outcome;
  }
  const reason = outcome.reason.slice(0, 1000);
  const retryAt = new Date(now() + (outcome.retryAfterMs ?? retryDelay(start.attempt))).toISOString();
  const failed = deliveryEnded({ delivery, channel, status: 'failed', reason, retry_at: retryAt });
  const isOver = outcome.isFinal === true || start.kind === 'test';
  await ledger.append(isOver ? [failed, deliveryEnded({ delivery, channel, status: 'dropped', reason })] : [failed]);
  return outcome;
}

/** 5 s, 10 s, 20 s … up to a quarter of an hour. */
export const retryDelay = (attempts: number): number =>
  Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20));

async function attempt(
  start: DeliveryStarted,
  compose: Attempt['compose'],
  open: Attempt['open'],
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    return await Promise.race([deliver(start, compose, open, signal), whenAborted(signal)]);
  } catch (error) {
    return { status: 'failed', reason: messageOf(error) };
  }
}

/** A channel that does not listen to its signal is not waited for. */
async function whenAborted(signal: AbortSignal): Promise<DeliveryOutcome> {
  if (!signal.aborted) await once(signal, 'abort');
  return { status: 'failed', reason: 'it took too long' };
}

async function deliver(
  start: DeliveryStarted,
  compose: Attempt['compose'],
  open: Attempt['open'],
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const [channel, composed] = [await open(), compose()];
  if (start.act === 'close' && 'message' in composed)
    return (await channel.close?.(composed.message, signal)) ?? { status: 'sent', ref: null };
  return 'question' in composed
    ? await channel.ask(composed.question, signal)
    : await channel.announce(composed.message, signal);
}
