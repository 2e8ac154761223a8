/**
 * Owns: what the run ledger says about reaching people: things to announce, deliveries in progress, messages that are
 * out, and how each channel is doing. A projection.
 *
 * S1 A thing is announced once on each channel: `on` says where it was, from the moment its delivery was recorded.
 * S2 A thing that is settled is gone: an answered wait is not announced. A finished run is announced within a day.
 * S3 It is bounded: the oldest news falls out. While nothing was ever delivered, only the latest few are stored.
 * S4 An update takes the place of its message, which is closed once, when nothing that it asks is open any more.
 */
import { isShownWhole, summarizeApproval } from '../../core/guard/approval-summary.ts';
import type { ChannelPaired, DeliveryEnded, DeliveryStarted } from '../../core/schema/channel-port.ts';
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { DayBudgetLow } from '../../core/schema/day-budget.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Projection } from '../../core/schema/ports.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import {
  announcedThings,
  type AskedWait,
  channelState,
  type ChannelState,
  type OpenDelivery,
  type Reaching,
  type Settled,
  type Thing,
} from './reaching-state.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_TEXT = 1000;
const MOST_NEWS = 2000;
const MOST_UNUSED = 100;
const MOST_RECEIVED = 5000;
const MOST_MESSAGES = 200;
const MOST_ORIGINS = 1000;

export const reachingProjection: Projection<Reaching> = {
  name: 'reaching',
  version: 3,
  types: [
    'run.started',
    'wait.opened',
    'wait.closed',
    'task.asked',
    'task.returned',
    'run.ended',
    'slot.came',
    'budget.low',
    'delivery.started',
    'delivery.ended',
    'channel.received',
    'channel.paired',
    'message.posted',
  ],
  initial: () => ({ runs: {}, things: {}, channels: {}, origins: {}, digest: null, hasDelivered: false }),
  apply: (state, event) => {
    applyEvent(state, event);
    return state;
  },
};

function applyEvent(state: Reaching, event: Event): void {
  const { type } = event;
  const at = Date.parse(event.at);
  if (type === 'run.started') applyRunStart(state, event);
  else if (type === 'wait.opened') applyWait(state, event, at);
  else if (type === 'wait.closed')
    settleWait(state, event.data.wait, { at, how: event.data.answer.verdict, through: event.data.answer.through });
  else if (type === 'task.asked') applyAsked(state, event, at);
  else if (type === 'task.returned') applyAsked(state, { run: event.run, data: { title: '', waits: [] } }, at);
  else if (type === 'run.ended') applyRunEnd(state, event, at);
  else if (type === 'slot.came') applySlot(state, event.data);
  else if (type === 'budget.low') applyLowBudget(state, event.data, at);
  else if (type === 'delivery.started') applyStart(state, event.data, at);
  else if (type === 'delivery.ended') applyDelivered(state, event.data, at);
  else if (type === 'channel.received') applyReceived(state, event.data, at);
  else if (type === 'channel.paired') applyPaired(state, event.data);
  else if (type === 'message.posted') applyMessage(state, event.data, at);
}

function applyLowBudget(state: Reaching, { date, of, limit, spent }: DayBudgetLow, at: number): void {
  const unit = of === 'usd' ? 'USD' : of === 'calls' ? 'calls of models' : 'tokens';
  addThing(state, {
    key: `budget/${date}`,
    kind: 'budget',
    at,
    run: null,
    title: 'Most of the budget of today is spent',
    text: `${Number(spent.toFixed(2))} of ${limit} ${unit}. When it is used up, tasks wait until midnight or until you raise day_budget in POLICY.md.`,
    wait: null,
    on: {},
    reminders: 0,
  });
}

/** The job of the digest in `slot.came`. */
export const DIGEST_JOB = 'channels/digest';

function applyRunStart(state: Reaching, { run, data }: Extract<Event, { type: 'run.started' }>): void {
  if (run === null) return;
  const root = data.depth > 0 && data.parent !== null ? (state.runs[data.parent]?.root ?? data.parent) : run;
  state.runs[run] = { title: data.title.slice(0, 200), root };
}

function applyWait(state: Reaching, { run, data }: Extract<Event, { type: 'wait.opened' }>, at: number): void {
  const root = run === null ? null : (state.runs[run]?.root ?? run);
  const title = (root === null ? undefined : state.runs[root]?.title) ?? root ?? 'oka';
  addWait(state, { run: root, title, at }, data);
}

type Asking = { run: string | null; title: string; at: number };

function addWait(state: Reaching, about: Asking, { wait, for: awaited }: { wait: string; for: WaitFor }): void {
  const asked = toAskedWait(wait, awaited);
  if (asked === null) return;
  const text = shorten(describeWait(awaited));
  addThing(state, { ...about, key: `wait/${wait}`, kind: 'needs_you', text, wait: asked, on: {}, reminders: 0 });
}

/** What a task asks that another member of the fleet works on: all of it; what is missing was settled there. */
function applyAsked(state: Reaching, { run, data }: Pick<AskedEvent, 'run'> & { data: AskedNow }, at: number): void {
  const open = new Set(data.waits.map(({ wait }) => wait));
  for (const { wait } of Object.values(state.things))
    if (wait?.id.startsWith(`${run}.`) === true && !open.has(wait.id))
      settleWait(state, wait.id, { at, how: 'answered' });
  const title = data.title.slice(0, 200);
  for (const each of data.waits)
    if (state.things[`wait/${each.wait}`] === undefined) addWait(state, { run, title, at }, each);
}
type AskedEvent = Extract<Event, { type: 'task.asked' }>;
type AskedNow = Pick<AskedEvent['data'], 'title' | 'waits'>;

function toAskedWait(id: string, awaited: WaitFor): AskedWait | null {
  const common = { id, binding: null, class: null, options: [], default: null, expires: null };
  switch (awaited.kind) {
    case 'approval':
      return {
        ...common,
        kind: 'approval',
        binding: awaited.binding,
        // Without a class it is not approved from a message, which has not room for all of it.
        class: awaited.asked === undefined || isShownWhole(awaited.asked) ? null : awaited.asked.class,
        ...(awaited.asked?.may_be_always === true ? { tool: awaited.asked.tool } : {}),
        expires: awaited.expires ?? null,
      };
    case 'question':
      return { ...common, kind: 'question', options: awaited.options ?? [], default: awaited.default ?? null };
    case 'requirement':
      return { ...common, kind: 'requirement' };
    case 'message':
    case 'timer':
    case 'child':
    case 'turn':
      return null;
  }
}

function describeWait(awaited: WaitFor): string {
  if (awaited.kind === 'approval') return `May it do this? ${summarizeApproval(awaited)}`;
  if (awaited.kind === 'question') return awaited.text;
  return awaited.kind === 'requirement' ? `It needs ${awaited.name}: see INSTALL_REQUIREMENTS.md.` : '';
}

function settleWait(state: Reaching, wait: string, settled: Settled): void {
  const key = `wait/${wait}`;
  const thing = state.things[key];
  if (thing === undefined) return;
  delete state.things[key];
  for (const name of Object.keys(thing.on)) settleMessages(state, name, key, settled);
}

/** A message is settled when nothing that it asks is open any more; news in it does not count. */
function settleMessages(state: Reaching, name: string, key: string, settled: Settled): void {
  const { messages } = channelState(state, name);
  for (const [id, message] of Object.entries(messages)) {
    if (!message.things.includes(key) || isAsking(state, message.things)) continue;
    if (message.isReplaced) delete messages[id];
    else message.settled ??= settled;
  }
}

const isAsking = (state: Reaching, things: readonly string[]): boolean =>
  things.some((key) => (state.things[key]?.wait ?? null) !== null);

function applyRunEnd(state: Reaching, { run, data }: Extract<Event, { type: 'run.ended' }>, at: number): void {
  if (run === null) return;
  for (const key of Object.keys(state.things))
    if (key.startsWith(`wait/${run}.`)) settleWait(state, key.slice('wait/'.length), { at, how: data.status });
  const started = state.runs[run];
  delete state.runs[run];
  if (started === undefined || started.root !== run) return;
  if (data.status === 'cancelled' || noticeOfRun(run) !== null) return; // a reply is read in its conversation
  addThing(state, {
    key: `run/${run}`,
    kind: data.status,
    at,
    run,
    title: started.title,
    text: shorten(data.reason),
    wait: null,
    on: {},
    reminders: 0,
  });
}

/** The key names the moment, by which the day is known in any time zone. */
function applySlot(state: Reaching, { job, slot, how }: Extract<Event, { type: 'slot.came' }>['data']): void {
  if (job !== DIGEST_JOB) return;
  const at = Date.parse(slot);
  state.digest = at;
  if (how !== 'ran') return;
  const title = 'What oka did yesterday';
  addThing(state, {
    key: `day/${slot}`,
    kind: 'digest',
    at,
    run: null,
    title,
    text: '',
    wait: null,
    on: {},
    reminders: 0,
  });
}

function addThing(state: Reaching, thing: Thing): void {
  state.things[thing.key] = thing;
  if (thing.wait !== null) return; // what waits is gone when it is answered
  const news = Object.values(state.things).filter(({ wait }) => wait === null);
  const most = state.hasDelivered ? MOST_NEWS : MOST_UNUSED;
  for (const [index, old] of news.entries())
    if (thing.at - old.at > DAY_MS || news.length - index > most) delete state.things[old.key];
}

function applyStart(state: Reaching, data: DeliveryStarted, at: number): void {
  const channel = (state.channels[data.channel] ??= channelState(state, data.channel));
  state.hasDelivered = true;
  if (data.attempt === 1) channel.count += 1;
  if (data.kind === 'test') return; // it is not tried again, and what is open stays open
  channel.open = { ...data, begun: channel.open?.delivery === data.delivery ? channel.open.begun : at, retryAt: null };
  if (data.attempt > 1 || data.act === 'close') return;
  if (data.kind !== 'message') channel.recent = [...channel.recent.filter((sent) => at - sent < HOUR_MS), at];
  for (const key of data.things) {
    const thing = state.things[key];
    if (thing === undefined) continue;
    thing.on[data.channel] = { at, delivery: data.delivery };
    if (data.reminder !== undefined) thing.reminders = Math.max(thing.reminders, data.reminder);
  }
}

function applyDelivered(state: Reaching, data: DeliveryEnded, at: number): void {
  const channel = state.channels[data.channel];
  if (channel === undefined) return;
  if (data.status === 'failed') {
    channel.failures += 1;
    channel.problem = data.reason ?? null;
    channel.failingSince ??= at;
  }
  if (data.status === 'sent') Object.assign(channel, { failures: 0, problem: null, failingSince: null, lastSent: at });
  const { open } = channel;
  if (open === null || open.delivery !== data.delivery) return;
  if (data.status === 'failed') open.retryAt = data.retry_at === undefined ? at : Date.parse(data.retry_at);
  else settleOpen(state, channel, open, data, at);
}

function settleOpen(state: Reaching, channel: ChannelState, open: OpenDelivery, data: DeliveryEnded, at: number): void {
  channel.open = null;
  if (open.act === 'close') delete channel.messages[open.of ?? ''];
  if (data.status === 'dropped' || open.act === 'close') return;
  const before = open.act === 'update' ? channel.messages[open.of ?? ''] : undefined;
  const things = announcedThings(state, open).map(({ key }) => key);
  const isGroup = things.length > 1 || (open.of !== undefined && open.of === channel.group?.delivery);
  const hasAsked = open.kind === 'needs_you';
  if (!isGroup && !hasAsked) return;
  const settled = hasAsked && !isAsking(state, things) ? { at, how: 'answered' } : null;
  const root = before?.root ?? open.delivery;
  const { title } = open;
  channel.messages[open.delivery] = { ref: data.ref ?? null, title, things, at, root, isReplaced: false, settled };
  if (isGroup) continueGroup(state, channel, open, at);
  else if (before !== undefined) before.isReplaced = true;
  const [oldest = ''] = Object.keys(channel.messages);
  if (Object.keys(channel.messages).length > MOST_MESSAGES) delete channel.messages[oldest];
}

/** A group that is followed by another one stays only as long as something in it can be closed. */
function continueGroup(state: Reaching, channel: ChannelState, { delivery, of }: OpenDelivery, at: number): void {
  const { group: last, messages } = channel;
  const isContinued = last !== null && last.delivery === of;
  channel.group = { delivery, begun: isContinued ? last.begun : at };
  if (last !== null && (isContinued || !isAsking(state, messages[last.delivery]?.things ?? [])))
    delete messages[last.delivery];
}

function applyReceived(state: Reaching, data: Extract<Event, { type: 'channel.received' }>['data'], at: number): void {
  const channel = (state.channels[data.channel] ??= channelState(state, data.channel));
  channel.received.push(data.message);
  if (channel.received.length > MOST_RECEIVED) channel.received.splice(0, MOST_RECEIVED / 10);
  channel.position = data.position ?? channel.position;
  if (data.task === undefined) return;
  channel.tasks = [...channel.tasks.filter((task) => at - task.at < HOUR_MS), { from: data.from, at }];
  state.origins[data.task] = { channel: data.channel, from: data.from, thread: data.thread ?? null };
  const [oldest = ''] = Object.keys(state.origins);
  if (Object.keys(state.origins).length > MOST_ORIGINS) delete state.origins[oldest];
}

function applyPaired(state: Reaching, { channel, change, person, chat, name, conversation }: ChannelPaired): void {
  const known = (state.channels[channel] ??= channelState(state, channel));
  const others = (known.paired ?? []).filter((each) => each.person !== person || each.chat !== chat);
  known.paired = change === 'added' ? [...others, { person, chat, name, conversation }] : others;
}

/** What agents and oka say in a conversation that a paired person has in a messenger is sent there. */
function applyMessage(state: Reaching, data: Extract<Event, { type: 'message.posted' }>['data'], at: number): void {
  const { conversation, message, from, kind, content } = data;
  if (kind === 'person' || (kind === 'system' && JOINED.test(content))) return;
  for (const [channel, { paired = [] }] of Object.entries(state.channels)) {
    const there = paired.find((each) => each.conversation === conversation);
    if (there === undefined) continue;
    const to = { channel, chat: there.chat };
    const title = kind === 'agent' ? from : '';
    const about = { kind: 'message', at, run: null, title, text: content, wait: null, on: {}, reminders: 0 } as const;
    addThing(state, { key: `message/${message}`, to, ...about, on: {} });
  }
}

/** That an agent takes part is seen by its answer. */
const JOINED = /^\S+ joined$/;

const shorten = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text);
