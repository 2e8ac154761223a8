/** What is known about reaching people: things to announce, and how each channel is doing (delivery-state.ts folds it). */
import type { AnnouncementKind } from '../../core/schema/channel.ts';
import type { DeliveryStarted, MessageThread, PairedPerson } from '../../core/schema/channel-port.ts';

/** What a wait asks of a person. */
export type AskedWait = {
  id: string;
  kind: 'approval' | 'question' | 'requirement' | 'message';
  /** For an approval: what its answer is bound to. */
  binding: string | null;
  class: string | null;
  /** The tool of a server that the answer may allow for good. */
  tool?: string;
  options: readonly string[];
  default: string | null;
  expires: string | null;
};

export type Thing = {
  key: string;
  kind: AnnouncementKind | 'message';
  at: number;
  /** For a message of a conversation: the channel and the chat that it goes to. */
  to?: { channel: string; chat: string };
  /** The run that it is about; the task, where a step of it asks. */
  run: string | null;
  title: string;
  text: string;
  wait: AskedWait | null;
  /** By channel: when it was announced there last, and by which delivery. */
  on: Record<string, { at: number; delivery: string }>;
  reminders: number;
};

export type OpenDelivery = DeliveryStarted & {
  begun: number;
  /** When it is tried again; null while an attempt is in progress, or was when the process died. */
  retryAt: number | null;
};

/** `through` is the channel that the answer came through, if it came through one. */
export type Settled = { at: number; how: string; through?: string | undefined };

export type SentMessage = {
  ref: string | null;
  title: string;
  things: readonly string[];
  at: number;
  /** The delivery that the message was sent by first: by its name a channel finds what it replaces. */
  root: string;
  /** Whether a later delivery has taken its place. Its tokens still count: people reply to older mails. */
  isReplaced: boolean;
  /** Set once all waits of it are closed. */
  settled: Settled | null;
};

export type ChannelState = {
  /** Numbers deliveries. */
  count: number;
  /** When messages were sent first, within the last hour. */
  recent: number[];
  open: OpenDelivery | null;
  /** Messages that ask something which has not been closed there, and the group that grows. */
  messages: Record<string, SentMessage>;
  /** The last message about several things, by the delivery that sent it last, and when it was sent first. */
  group: { delivery: string; begun: number } | null;
  /** Failed attempts in a row. */
  failures: number;
  problem: string | null;
  failingSince: number | null;
  lastSent: number | null;
  /** Messages that came in, the latest last. */
  received: string[];
  /** Tasks that came in within the last hour. */
  tasks: { from: string | null; at: number }[];
  position: string | null;
  /** Whom it listens to, the owner first; left out while nobody was paired. */
  paired?: PairedPerson[];
};

type Origin = { channel: string; from: string | null; thread: MessageThread | null };

export type Reaching = {
  /** Titles of runs that have not ended, with the task they belong to. */
  runs: Record<string, { title: string; root: string }>;
  things: Record<string, Thing>;
  channels: Record<string, ChannelState>;
  /** Tasks that came in through a channel, the latest last. */
  origins: Record<string, Origin>;
  /** When the last digest was due. */
  digest: number | null;
  hasDelivered: boolean;
};

/** What a delivery announces and is still there. An update adds to what the message has announced before; new things come first. */
export function announcedThings(state: Reaching, { channel, act, of, things }: Announced): Thing[] {
  const before = act === 'update' ? (channelState(state, channel).messages[of ?? '']?.things ?? []) : [];
  return [...new Set([...things, ...before])].flatMap((key) => state.things[key] ?? []);
}
type Announced = Pick<DeliveryStarted, 'channel' | 'act' | 'of' | 'things'>;

export const channelState = (state: Reaching, name: string): ChannelState =>
  state.channels[name] ?? {
    count: 0,
    recent: [],
    open: null,
    messages: {},
    group: null,
    failures: 0,
    problem: null,
    failingSince: null,
    lastSent: null,
    received: [],
    tasks: [],
    position: null,
  };
