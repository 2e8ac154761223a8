/**
 * Owns: reaching people while the worker runs: what is due is planned at every poll, and sent in the background.
 *
 * O1 A poll starts sending and waits for nothing. A channel that fails, or a file that cannot be read, stops nothing else.
 * O2 One delivery of a channel is in progress at a time; channels do not wait for each other.
 * O3 channels.json is read again when it changes.
 */
import { hash } from 'node:crypto';
import { knownTasks } from '../../kit/inbox/known-tasks.ts';
import type {
  Channel,
  ChannelInbox,
  DeliveryOutcome,
  DeliveryStarted,
  PushSubscribed,
} from '../../core/schema/channel-port.ts';
import { daySpending } from '../../core/guard/day-spending.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { isPushService } from './push/push-channel.ts';
import { PushChannel } from './push/push-settings.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { Log } from '../../kit/log-line.ts';
import type { LedgerPort, ProjectionsPort } from '../../kit/ports/port-types.ts';
import { answerDefaults } from './answer-defaults.ts';
import { answerKey } from './answer-token.ts';
import { deliveryEnded, deliveryStarted } from './channel-events.ts';
import { channelTools } from './channel-tools.ts';
import type { AccessRoute } from '../../kit/egress/server-access.ts';
import { openConnectionProblems } from './connection-problems.ts';
import { channelsStamp, type HomeChannels, loadChannels } from './channels-file.ts';
import { approvable, composeMessage, type Composing } from './compose-message.ts';
import { reachingProjection } from './delivery-state.ts';
import { channelState, type Reaching } from './reaching-state.ts';
import { dueDigest, type Heartbeat, openHeartbeat } from './daily-slots.ts';
import { withDesktop } from './desktop-here.ts';
import { noteDesktop } from './desktop/desktop-note.ts';
import type { ChannelSettings } from './channel-definition.ts';
import { openChannel } from './channel-kinds.ts';
import { planChannel, planDefaults, type Planned, type Situation } from './plan-deliveries.ts';
import { isWatched } from './presence.ts';
import { addSubscription } from './push-subscriptions.ts';
import { readDayPage, readResult } from './read-result.ts';
import { channelInbox } from './receive-answer.ts';
import { sendDelivery } from './send-delivery.ts';
import { type ServedChannels, serveChannels } from './serve-channels.ts';
import type { ReachingPort } from '../../kit/ports/reaching-port.ts';

export type ReachingPorts = {
  home: Home;
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  redact: Redact;
  route: AccessRoute;
  now?: () => number;
  open?: typeof openChannel;
};

/** How often is planned, at most. */
const PLAN_MS = 500;

export function openReaching(ports: ReachingPorts): ReachingPort {
  const reaching = new ReachingPeople(ports);
  return {
    activate: (log, options) => reaching.activate(log, options),
    poll: ({ isStopped }) => (isStopped ? Promise.resolve() : reaching.poll()),
    test: (name) => reaching.test(name),
    subscribe: (name, subscription) => reaching.subscribe(name, subscription),
    press: (name, token) => reaching.press(name, token),
    close: () => reaching.close(),
  };
}

class ReachingPeople {
  readonly #ports: ReachingPorts;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  readonly #beat: Heartbeat;
  /** Attempts in progress, by channel. */
  readonly #sending = new Map<string, Promise<unknown>>();
  readonly #noteConnection: ReturnType<typeof openConnectionProblems>;
  /** Channels that receive nothing although they should. */
  readonly #unreachable = new Set<string>();
  /** Waits that got their default. */
  readonly #answered = new Set<string>();
  #active: { log: Log; since: number; desktop: boolean } | null = null;
  #configured: { stamp: string; file: HomeChannels } | null = null;
  #served: ServedChannels | null = null;
  #key: Buffer | null = null;
  #lastPlan = 0;

  constructor(ports: ReachingPorts) {
    this.#ports = ports;
    this.#now = ports.now ?? Date.now;
    this.#noteConnection = openConnectionProblems(ports.home);
    this.#beat = openHeartbeat(channelTools('heartbeat', ports.route), this.#stop.signal, this.#log);
  }

  activate(log: Log, { since = this.#now(), desktop = false }: { since?: number; desktop?: boolean } = {}): void {
    this.#active = { log, since, desktop };
    this.#configured = null;
  }

  async poll(): Promise<void> {
    if (this.#active === null || Math.abs(this.#now() - this.#lastPlan) < PLAN_MS) return;
    this.#lastPlan = this.#now();
    try {
      await this.#plan(this.#active.since);
    } catch (error) {
      this.#log(`channels: ${messageOf(error)}`);
    }
  }

  async subscribe(name: string, subscription: PushSubscribed | undefined): Promise<Json> {
    const { data: settings } = PushChannel.safeParse(this.#current().channels.get(name));
    if (settings === undefined || subscription === undefined)
      throw new OkaError('not-set-up', `there is no channel ${name} for Web Push in channels.json`);
    const url = new URL(subscription.endpoint);
    if (!isPushService(url, settings.hosts))
      throw new OkaError('not-permitted', `${url.host} is not a push service that oka knows`, {
        fix: `Name it in "hosts" of the channel ${name} in channels.json.`,
      });
    return { id: await addSubscription(this.#ports.home, name, subscription, this.#ports.ledger) };
  }

  /** Whoever has the dashboard in their browser and the token of a message there; pressed twice, it counts once. */
  async press(name: string, token: string): Promise<Json> {
    if (this.#current().channels.get(name)?.kind !== 'push')
      throw new OkaError('not-set-up', `there is no channel ${name} for Web Push in channels.json`);
    const message = `press-${hash('sha256', token).slice(0, 32)}`;
    return this.#inbox(name, () => undefined).answer({ message, token, from: null });
  }

  test(name: string): Promise<DeliveryOutcome> {
    const { channels, disabled, problems } = this.#current();
    const settings = channels.get(name) ?? disabled.get(name);
    const problem = problems.find(({ channel }) => channel === name || channel === null)?.problem;
    if (settings === undefined)
      throw new OkaError('not-set-up', problem ?? `there is no channel ${name} in channels.json`, {
        fix: 'See which there are: oka channels list',
      });
    return (this.#sending.get(name) ?? Promise.resolve()).then(() => {
      const delivery = `${name}.${channelState(this.#state(), name).count + 1}`;
      const about = { act: 'send', kind: 'test', title: 'oka: a test', attempt: 1 } as const;
      return this.#send(name, settings, { ...about, things: [], delivery, channel: name });
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#active?.desktop === true) noteDesktop(this.#ports.home, false);
    for (const name of this.#unreachable) this.#noteConnection(name, null);
    await Promise.allSettled(this.#sending.values());
  }

  readonly #log: Log = (line) => this.#active?.log(line);

  #state(): Reaching {
    return this.#ports.projections.stateOf(reachingProjection);
  }

  /** The channels as they are configured now; what was open is closed when the file has changed (O3). */
  #current(): HomeChannels {
    const { home } = this.#ports;
    const stamp = channelsStamp(home);
    if (this.#configured?.stamp === stamp) return this.#configured.file;
    const loaded = loadChannels(home);
    const alone = this.#active?.desktop === true ? withDesktop(loaded) : null;
    if (this.#active?.desktop === true) noteDesktop(home, alone !== null);
    const file = alone ?? loaded;
    this.#configured = { stamp, file };
    for (const { channel, problem } of file.problems)
      this.#log(`channels.json: ${channel === null ? '' : `${channel}: `}${problem}`);
    this.#served?.stop();
    this.#served = null;
    for (const name of this.#unreachable) this.#reportConnection(name, null); // what follows is tried anew
    return file;
  }

  async #plan(since: number): Promise<void> {
    const { home, ledger } = this.#ports;
    const { policy, channels } = this.#current();
    this.#beat(policy, this.#now());
    if (channels.size === 0) return;
    const served = (this.#served ??= this.#serve(channels));
    const situation: Situation = {
      state: this.#state(),
      policy,
      channels,
      now: this.#now(),
      since,
      isWatched: isWatched(home, this.#now()),
      isSending: (delivery) => this.#sending.has(delivery.slice(0, delivery.lastIndexOf('.'))),
      canClose: served.canClose,
      canUpdate: served.canUpdate,
    };
    const digest = dueDigest(situation);
    if (digest.length > 0) await ledger.append(digest);
    answerDefaults(home, planDefaults(situation), this.#answered);
    for (const [name, settings] of channels)
      if (!this.#sending.has(name)) await this.#carryOut(name, settings, planChannel(name, settings, situation));
  }

  /** Starts sending, and does not wait for it (O1). */
  async #carryOut(name: string, settings: ChannelSettings, planned: Planned | null): Promise<void> {
    if (planned === null) return;
    const { start } = planned;
    // #send has logged it, and what is not recorded as sent is planned again (O1)
    if (planned.act === 'deliver') return void this.#send(name, settings, start).catch(() => undefined);
    await this.#ports.ledger.append([
      ...(planned.isRecorded ? [] : [deliveryStarted(start)]),
      deliveryEnded({ delivery: start.delivery, channel: name, status: 'dropped', reason: planned.reason }),
    ]);
  }

  #send(name: string, settings: ChannelSettings, start: DeliveryStarted): Promise<DeliveryOutcome> {
    const wasFailing = channelState(this.#state(), name).failures > 0;
    const sent = sendDelivery({
      start,
      compose: () => composeMessage(start, this.#composing(settings)),
      open: () => this.#served?.get(name) ?? this.#open(name, settings),
      ledger: this.#ports.ledger,
      signal: this.#stop.signal,
      now: this.#now,
    });
    const reported = sent.then((outcome) => {
      if (outcome.status === 'failed' && !wasFailing) this.#log(`channel ${name}: ${outcome.reason}`);
      if (outcome.status === 'sent' && wasFailing) this.#log(`channel ${name} works again`);
    });
    const over = reported.catch((error: unknown) => this.#log(`channel ${name}: ${messageOf(error)}`));
    this.#sending.set(
      name,
      over.finally(() => void this.#sending.delete(name)),
    );
    return sent;
  }

  #open(name: string, settings: ChannelSettings): Promise<Channel> {
    return (this.#ports.open ?? openChannel)(settings, channelTools(name, this.#ports.route), this.#ports);
  }

  #serve(channels: HomeChannels['channels']): ServedChannels {
    return serveChannels({
      channels,
      open: (name, settings) => this.#open(name, settings),
      report: (name, problem) => this.#reportConnection(name, problem),
      inbox: (channel, ready) => this.#inbox(channel, ready),
      signal: this.#stop.signal,
      log: this.#log,
    });
  }

  #inbox(channel: string, ready: () => void): ChannelInbox {
    const { home, ledger } = this.#ports;
    return channelInbox({
      ready,
      isTask: (id) => this.#ports.projections.stateOf(knownTasks).ids.includes(id),
      home,
      channel,
      state: () => this.#state(),
      spending: () => this.#ports.projections.stateOf(daySpending),
      approvable: () => this.#approvable(channel),
      key: this.#answerKey(),
      ledger,
      log: this.#log,
      now: this.#now,
    });
  }

  #approvable(channel: string): readonly string[] {
    const { policy, channels } = this.#current();
    const settings = channels.get(channel);
    return settings === undefined ? [] : approvable(settings, policy);
  }

  #reportConnection(name: string, problem: string | null): void {
    const isNews = this.#unreachable.has(name) !== (problem !== null);
    if (problem === null) this.#unreachable.delete(name);
    else this.#unreachable.add(name);
    const since = new Date(this.#now()).toISOString();
    this.#noteConnection(name, problem === null ? null : { since, problem: problem.slice(0, 1000) });
    if (isNews) this.#log(`channel ${name} ${problem === null ? 'receives again' : `receives nothing: ${problem}`}`);
  }

  #composing(settings: ChannelSettings): Composing {
    const { home, redact } = this.#ports;
    return {
      state: this.#state(),
      policy: this.#current().policy,
      settings,
      key: this.#answerKey(),
      redact,
      readResult: (run) => readResult(home, run, redact),
      readDay: (date) => readDayPage(home, date),
    };
  }

  #answerKey(): Buffer {
    return (this.#key ??= answerKey(this.#ports.home));
  }
}
