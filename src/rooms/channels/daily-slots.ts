/** Owns: what comes by the clock: the digest of a day, each recorded once, and the heartbeat to an address elsewhere. */
import type { ChannelPolicy } from '../../core/schema/channel.ts';
import type { ChannelTools } from '../../core/schema/channel-port.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Log } from '../../kit/log-line.ts';
import { DIGEST_JOB } from './delivery-state.ts';
import type { Situation } from './plan-deliveries.ts';
import { minutesOf, timeIn } from './zone-clock.ts';

/** The slot of today's digest, once its time has come; nothing when no channel announces it, or it was recorded. */
export function dueDigest({ policy, channels, state, now, since }: Situation): NewEvent[] {
  const isWanted = [...channels.values()].some(({ announce = policy.announce }) => announce.includes('digest'));
  if (!isWanted) return [];
  const { minutes, date } = timeIn(policy.time_zone, now);
  const isRecorded = state.digest !== null && timeIn(policy.time_zone, state.digest).date === date;
  if (minutes < minutesOf(policy.digest_at) || isRecorded) return [];
  const slot = Math.floor(now / 60_000) * 60_000 - (minutes - minutesOf(policy.digest_at)) * 60_000;
  const isMissed = state.digest === null && slot < since; // the first digest is that of the first morning
  const how = isMissed ? 'skipped' : 'ran';
  const reason = isMissed ? 'channels were set up later that day' : 'it was due';
  return [{ type: 'slot.came', data: { job: DIGEST_JOB, slot: new Date(slot).toISOString(), how, reason } }];
}

export type Heartbeat = (policy: ChannelPolicy, now: number) => void;

/** Nothing waits for an answer: whoever is asked notices silence, which is the point. */
export function openHeartbeat(tools: Pick<ChannelTools, 'fetch'>, signal: AbortSignal, log: Log): Heartbeat {
  let last = 0;
  return ({ heartbeat }, now) => {
    if (heartbeat === undefined || Math.abs(now - last) < heartbeat.every_minutes * 60_000) return;
    last = now;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
    tools
      .fetch(new URL(heartbeat.url), { method: 'GET', headers: {}, signal: limit })
      .then(async (response) => {
        await response.arrayBuffer();
        if (!response.ok) log(`heartbeat: ${heartbeat.url} answered with ${response.status}`);
      })
      .catch((error: unknown) => log(`heartbeat: ${messageOf(error)}`));
  };
}
