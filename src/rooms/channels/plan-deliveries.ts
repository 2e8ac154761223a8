/**
 * Owns: what each channel sends next: which things, when, together or alone. Pure.
 *
 * P1 At most one delivery of a channel is in progress; a failed one is tried again first, for as long as somebody needs it.
 * P2 A channel gets a few messages at once and `per_hour` in an hour. When more has come up, it is put into one message,
 *    which grows for an hour where a channel can replace a message. A reminder replaces what it repeats.
 * P3 Nothing is sent in quiet hours. What ends while a person looks at the dashboard is not announced, unless
 *    it is a reply (P5); what needs them waits.
 * P4 A question goes to one channel after the other, is repeated at most `reminders` times, and then gets its default.
 * P6 What is said in a conversation goes to its chat at once, each message alone and in order: somebody waits for it.
 * P5 The result of a task that came through a channel goes there in a message of its own, whatever else is announced.
 */
import type { ChannelPolicy } from '../../core/schema/channel.ts';
import type { ChannelSettings } from './channel-definition.ts';
import type { DeliveryStarted } from '../../core/schema/channel-port.ts';
import { announcedThings, channelState, type ChannelState, type Reaching, type Thing } from './reaching-state.ts';
import { isBetween, timeIn } from './zone-clock.ts';

export type Situation = {
  state: Reaching;
  policy: ChannelPolicy;
  channels: ReadonlyMap<string, ChannelSettings>;
  now: number;
  /** When these channels began to be served: what ended before on a channel that never sent anything is old news. */
  since: number;
  /** Whether a person looks at the dashboard. */
  isWatched: boolean;
  /** Deliveries that this process is sending. */
  isSending: (delivery: string) => boolean;
  canClose: (channel: string) => boolean;
  canUpdate: (channel: string) => boolean;
};

/** Either a delivery to make, or one to drop. */
export type Planned =
  | { act: 'deliver'; start: DeliveryStarted }
  | { act: 'drop'; start: DeliveryStarted; isRecorded: boolean; reason: string };

const BURST = 5;
const GATHER_MS = 10_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MOST_IN_MESSAGE = 2000;

/** The next step of one channel; null when there is nothing to do now. */
export function planChannel(name: string, settings: ChannelSettings, situation: Situation): Planned | null {
  const { state, policy, now, isWatched } = situation;
  const channel = channelState(state, name);
  if (channel.open !== null) return planOpen(channel.open, situation);
  const closing = situation.canClose(name) ? closeSettled(name, channel) : null;
  if (closing !== null) return closing;
  const said = nextMessage(name, state);
  if (said !== undefined) return { act: 'deliver', start: { ...newDelivery(name, channel), ...describe([said]) } };
  if (isQuiet(policy, now)) return null;
  const due = Object.values(state.things).filter((thing) => isDue(thing, name, settings, situation));
  const news = due.filter(({ kind, wait }) => wait === null && kind !== 'digest');
  const others = news.filter((thing) => !isReply(thing, name, state));
  if (isWatched && others.length > 0 && isRipe(others, now)) return skipWatched(name, channel, others);
  const open = isWatched ? news.filter((thing) => !others.includes(thing)) : due;
  const ready = isRipe(news, now) ? open : open.filter((thing) => !news.includes(thing));
  return ready.length === 0 ? null : sendSome(name, channel, ready, situation);
}

/** Approvals and questions that nobody answered after all reminders, with what they get instead. */
export function planDefaults({ state, policy, channels, now }: Situation): Thing[] {
  const { escalation } = policy;
  if (escalation === undefined || escalation.finally !== 'deny') return [];
  const names = askingChannels(policy, channels);
  return Object.values(state.things).filter((thing) => {
    const { wait } = thing;
    if (wait === null || (wait.kind !== 'approval' && wait.default === null)) return false;
    const wasSent = names.some((name) =>
      Object.values(channelState(state, name).messages).some(({ things }) => things.includes(thing.key)),
    );
    const isEverywhere = names.every((name) => thing.on[name] !== undefined);
    return wasSent && isEverywhere && thing.reminders >= escalation.reminders && isOverdue(thing, escalation, now);
  });
}

function planOpen(open: NonNullable<ChannelState['open']>, situation: Situation): Planned | null {
  const { state, now, isSending } = situation;
  if (isSending(open.delivery)) return null;
  const { begun, retryAt, ...start } = open;
  const isNeeded = start.act === 'close' || start.things.some((key) => state.things[key] !== undefined);
  if (!isNeeded || now - begun > DAY_MS)
    return { act: 'drop', start, isRecorded: true, reason: isNeeded ? 'it is too old' : 'it is settled' };
  if (retryAt !== null && retryAt > now) return null;
  return { act: 'deliver', start: { ...start, attempt: start.attempt + 1 } };
}

function closeSettled(name: string, channel: ChannelState): Planned | null {
  const found = Object.entries(channel.messages).find(([, { settled }]) => settled !== null);
  if (found === undefined) return null;
  const [of, { title, things }] = found;
  const closing = { act: 'close', kind: 'needs_you' } as const;
  return { act: 'deliver', start: { ...newDelivery(name, channel), ...closing, title, things: [...things], of } };
}

/** What is said next in a chat of this channel (P6). */
const nextMessage = (name: string, { things }: Reaching): Thing | undefined =>
  Object.values(things).find(({ to, on }) => to?.channel === name && on[name] === undefined);

function isDue(thing: Thing, name: string, settings: ChannelSettings, situation: Situation): boolean {
  const { state, policy, channels, now, since } = situation;
  if (thing.kind === 'message') return false;
  const isAnswer = isReply(thing, name, state);
  if (!isAnswer && !(settings.announce ?? policy.announce).includes(thing.kind)) return false;
  if (thing.wait !== null) return isAskedNow(thing, name, policy, channels, now);
  if (thing.on[name] !== undefined) return false;
  return isAnswer || thing.at >= since || channelState(state, name).count > 0;
}

/** Whether it is the result of a task that came through this channel. */
const isReply = ({ wait, run }: Thing, name: string, { origins }: Reaching): boolean =>
  wait === null && run !== null && origins[run]?.channel === name;

/** P4. Without escalation a question goes to all channels at once. */
function isAskedNow(
  thing: Thing,
  name: string,
  policy: ChannelPolicy,
  channels: Situation['channels'],
  now: number,
): boolean {
  const { escalation } = policy;
  const isThere = thing.on[name] !== undefined;
  if (escalation === undefined) return !isThere;
  const names = askingChannels(policy, channels);
  const next = names.find((each) => thing.on[each] === undefined);
  const isFirst = Object.keys(thing.on).length === 0;
  if (next !== undefined) return next === name && (isFirst || isOverdue(thing, escalation, now));
  return name === names.at(-1) && thing.reminders < escalation.reminders && isOverdue(thing, escalation, now);
}

const isOverdue = (thing: Thing, { after_minutes }: { after_minutes: number }, now: number): boolean =>
  now - Math.max(...Object.values(thing.on).map(({ at }) => at)) >= after_minutes * 60_000;

const askingChannels = (policy: ChannelPolicy, channels: Situation['channels']): string[] =>
  [...channels].filter(([, { announce = policy.announce }]) => announce.includes('needs_you')).map(([name]) => name);

/** News is gathered for a moment, so that what ends together is one message. */
const isRipe = (news: readonly Thing[], now: number): boolean => news.some(({ at }) => now - at >= GATHER_MS);

function isQuiet({ quiet, time_zone }: ChannelPolicy, now: number): boolean {
  return quiet !== undefined && isBetween(quiet, timeIn(time_zone, now).minutes);
}

/** P3. It is recorded as dropped, so that it is not announced after a restart. */
function skipWatched(name: string, channel: ChannelState, news: readonly Thing[]): Planned {
  const start = { ...newDelivery(name, channel), ...describe(news) };
  return { act: 'drop', start, isRecorded: false, reason: 'somebody was looking at the dashboard' };
}

function sendSome(name: string, channel: ChannelState, ready: readonly Thing[], situation: Situation): Planned | null {
  const { policy, now, state } = situation;
  const left = Math.floor(BURST - usedOf(channel.recent, now, policy.per_hour));
  if (left < 1) return null;
  const ordered = ready.toSorted((a, b) => rankOf(a) - rankOf(b) || a.at - b.at);
  const reply = ordered.find((thing) => isReply(thing, name, state));
  const chosen =
    reply === undefined
      ? ordered.length < left || ordered.length === 1
        ? ordered.slice(0, 1)
        : ordered.slice(0, MOST_IN_MESSAGE)
      : [reply];
  const isReminder = chosen.some(({ on }) => on[name] !== undefined);
  const reminder = isReminder ? { reminder: Math.max(...chosen.map(({ reminders }) => reminders)) + 1 } : {};
  const of = situation.canUpdate(name) && reply === undefined ? replacedBy(chosen, name, channel, now) : null;
  const about = of === null ? describe(chosen) : describeUpdate(of, chosen, name, state);
  return { act: 'deliver', start: { ...newDelivery(name, channel), ...about, ...reminder } };
}

/** The message whose place is taken: that of the question that is repeated, or the group that these things join. */
function replacedBy(chosen: readonly Thing[], name: string, channel: ChannelState, now: number): string | null {
  const { messages, group } = channel;
  const [only, ...others] = chosen;
  if (only !== undefined && others.length === 0) {
    const before = only.on[name]?.delivery ?? '';
    return messages[before]?.things.length === 1 ? before : null;
  }
  const isGrowing = group !== null && now - group.begun < HOUR_MS && messages[group.delivery]?.settled === null;
  return isGrowing ? group.delivery : null;
}

/** Named and titled by everything that the message announces then; `things` are those that it adds. */
function describeUpdate(of: string, added: readonly Thing[], name: string, state: Reaching): Described {
  const things = added.map(({ key }) => key);
  const whole = announcedThings(state, { channel: name, act: 'update', of, things });
  return { ...describe(whole), act: 'update', of, things };
}

/** A bucket that each message fills, and that empties by `perHour` in an hour. */
function usedOf(recent: readonly number[], now: number, perHour: number): number {
  let [used, last] = [0, recent[0] ?? now];
  for (const at of [...recent, now]) {
    used = Math.max(0, used - Math.max(0, at - last) * (perHour / HOUR_MS)) + 1;
    last = at;
  }
  return used - 1;
}

const newDelivery = (
  name: string,
  channel: ChannelState,
): Pick<DeliveryStarted, 'delivery' | 'channel' | 'attempt'> => ({
  delivery: `${name}.${channel.count + 1}`,
  channel: name,
  attempt: 1,
});

const RANKS = { message: 0, needs_you: 0, budget: 1, failed: 2, done: 3, digest: 4 } as const;
const rankOf = ({ kind }: Thing): number => RANKS[kind];

type Described = Pick<DeliveryStarted, 'act' | 'kind' | 'title' | 'things' | 'of'>;

/** The kind of a message about several things is that of the most urgent one. */
function describe(things: readonly Thing[]): Described {
  const [first] = things.toSorted((a, b) => rankOf(a) - rankOf(b));
  const kind = first?.kind ?? 'done';
  const title = things.length === 1 ? (first?.title ?? '') : countKinds(things);
  return { act: 'send', kind, title, things: things.map(({ key }) => key) };
}

function countKinds(things: readonly Thing[]): string {
  const count = (kind: Thing['kind']): number => things.filter((thing) => thing.kind === kind).length;
  const [needs, done, failed] = [count('needs_you'), count('done'), count('failed')];
  const other = things.length - needs - done - failed;
  return [
    ...(needs === 0 ? [] : [needs === 1 ? '1 question for you' : `${needs} questions for you`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(done === 0 ? [] : [`${done} done`]),
    ...(other === 0 ? [] : [`${other} more`]),
  ].join(', ');
}
