/**
 * Owns: the channels that are open, and what they receive, until channels.json changes.
 *
 * S1 A channel that cannot be opened stops no other; the next delivery opens it again, and records why it cannot.
 * S2 A connection that fails is made again, later and later. One that keeps failing is reported, until it stands again.
 */
import type { ChannelSettings } from './channel-definition.ts';
import type { Channel, ChannelInbox } from '../../core/schema/channel-port.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Log } from '../../kit/log-line.ts';
import { retryDelay } from './send-delivery.ts';
import { pause } from '../../kit/pause.ts';

export type ServedChannels = {
  get: (name: string) => Promise<Channel> | undefined;
  /** Whether a message of this channel can be closed, or take the place of another; false while it is being opened. */
  canClose: (name: string) => boolean;
  canUpdate: (name: string) => boolean;
  stop: () => void;
};

type Serving = {
  channels: ReadonlyMap<string, ChannelSettings>;
  open: (name: string, settings: ChannelSettings) => Promise<Channel>;
  inbox: (name: string, ready: () => void) => ChannelInbox;
  /** Nothing can be received for this reason; null: it can again. */
  report: (name: string, problem: string | null) => void;
  signal: AbortSignal;
  log: Log;
};

const LASTS_MS = 60_000;
const LONGEST_MS = 60_000;
const REPORTED_FAILURE = 3;

export function serveChannels({ channels, open, inbox, report, signal, log }: Serving): ServedChannels {
  const mine = new AbortController();
  const over = AbortSignal.any([signal, mine.signal]);
  const opened = new Map<string, Promise<Channel>>();
  const ready = new Map<string, Channel>();
  for (const [name, settings] of channels) {
    const channel = open(name, settings);
    opened.set(name, channel);
    void channel
      .then((usable) => {
        ready.set(name, usable);
        return receiveOn(
          usable,
          (ready) => inbox(name, ready),
          over,
          (problem) => report(name, problem),
        );
      })
      .catch((error: unknown) => {
        opened.delete(name);
        log(`channel ${name}: ${messageOf(error)}`);
      });
  }
  return {
    get: (name) => opened.get(name),
    canClose: (name) => ready.get(name)?.close !== undefined,
    canUpdate: (name) => ready.get(name)?.canUpdate === true,
    stop: () => mine.abort(),
  };
}

async function receiveOn(
  channel: Channel,
  inbox: (ready: () => void) => ChannelInbox,
  signal: AbortSignal,
  report: (problem: string | null) => void,
): Promise<void> {
  let failures = 0;
  const into = inbox(() => report(null));
  while (!signal.aborted && channel.receive !== undefined) {
    const begun = performance.now();
    const problem = await channel.receive(into, signal).then(() => 'the connection ended', messageOf);
    if (signal.aborted) return;
    failures = performance.now() - begun > LASTS_MS ? 1 : failures + 1;
    if (failures >= REPORTED_FAILURE) report(problem);
    await pause(Math.min(LONGEST_MS, retryDelay(failures) / 5), signal);
  }
}
