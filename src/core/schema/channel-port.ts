/**
 * The port of a channel, what goes through it, and the events that record it.
 *
 * D1 A delivery is recorded before it is sent (`delivery.started`) and after (`delivery.ended`). One that has only begun
 *    is sent again after a crash, with the same id, by which a channel or its receiver recognises it.
 * D2 Texts of a message contain no secret: they were redacted before a channel gets them.
 * D3 Whoever answers proves it by the token of a button or a reply: it belongs to one delivery, one wait, one answer,
 *    and counts once. Who a message claims to be from proves nothing.
 */
import { z } from 'zod';
import { AnnouncementKind } from './channel.ts';
import { CallId, Id, Instant } from './names.ts';

const reason = z.string().max(4000).describe('Why, for a person.');
const channel = z.string().max(40).describe('Its name in channels.json; /hooks for calls of hooks.');

export const DeliveryStarted = z
  .strictObject({
    delivery: Id.describe('Its id; the same in every attempt.'),
    channel,
    act: z
      .enum(['send', 'update', 'close'])
      .describe('A new message; the same message with other words; or a message that says it is settled.'),
    kind: AnnouncementKind.or(z.enum(['test', 'message'])).describe('What it is about; a message of a conversation.'),
    title: z.string().max(500).describe('Its title.'),
    things: z
      .array(z.string().max(320))
      .max(2000)
      .describe('What it announces: wait/<wait>, run/<run>, day/<date>, budget/<date>. An update adds them.'),
    of: Id.optional().describe('For an update or a close: the delivery of the message that it changes.'),
    attempt: z.int().positive().describe('How often it was tried, with this one.'),
    reminder: z.int().positive().optional().describe('Which reminder this is.'),
  })
  .describe('A message is being sent through a channel.');
export type DeliveryStarted = z.infer<typeof DeliveryStarted>;

export const DeliveryEnded = z
  .strictObject({
    delivery: Id,
    channel,
    status: z
      .enum(['sent', 'failed', 'dropped'])
      .describe('Failed: it is tried again. Dropped: it is not, since it cannot arrive or nobody needs it any more.'),
    ref: z.string().max(1000).optional().describe('The id of the message at the service.'),
    reason: reason.optional(),
    retry_at: Instant.optional().describe('When it is tried again.'),
  })
  .describe('An attempt to send a message ended.');
export type DeliveryEnded = z.infer<typeof DeliveryEnded>;

export const MessageThread = z
  .strictObject({
    subject: z.string().max(1000).describe('Its subject.'),
    message: z.string().max(1000).describe('The Message-ID of the mail.'),
    references: z.array(z.string().max(1000)).max(50).default([]).describe('The messages before it.'),
  })
  .describe('The mail that a result is a reply to.');
export type MessageThread = z.infer<typeof MessageThread>;

export const ChannelReceived = z
  .strictObject({
    channel,
    message: z.string().max(1000).describe('The id of the message at the service; each is handled once.'),
    from: z.string().max(320).nullable().describe('Who it claims to be from.'),
    became: z
      .enum(['answer', 'task', 'message', 'nothing'])
      .describe('What was made of it; a message belongs to a conversation.'),
    reason,
    wait: CallId.optional().describe('The wait that it answers.'),
    delivery: Id.optional().describe('The delivery that it answers.'),
    task: Id.optional().describe('The id of the task that it became.'),
    thread: MessageThread.optional(),
    position: z.string().max(200).optional().describe('Up to where the channel was read.'),
  })
  .describe('A message came in through a channel, and was handled.');
export type ChannelReceived = z.infer<typeof ChannelReceived>;

export const ChannelPaired = z
  .strictObject({
    channel,
    person: z.string().max(320).describe('Who, as the network names them for good.'),
    chat: z.string().max(320).describe('Where they write to oka.'),
    name: z.string().max(200).describe('What they call themselves; it proves nothing.'),
    conversation: Id.describe('The conversation that their messages belong to.'),
    change: z.enum(['added', 'removed']).describe('What happened to the pairing.'),
    reason,
  })
  .describe('A person was paired with a channel, so that it listens to them; or no longer.');
export type ChannelPaired = z.infer<typeof ChannelPaired>;

export const ChannelSubscribed = z
  .strictObject({
    channel,
    id: Id.describe('The subscription; .oka/push contains its address and keys.'),
    change: z.enum(['added', 'removed']).describe('What happened to it.'),
    host: z.string().max(253).describe('The push service.'),
    about: z.string().max(200).describe('The device, as its browser describes itself.'),
    reason,
  })
  .describe('A browser subscribed to Web Push, or its subscription ended.');

export const PushSubscribed = z
  .strictObject({
    endpoint: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .describe('The address of the subscription at the push service.'),
    keys: z
      .strictObject({
        p256dh: z
          .string()
          .regex(/^[\w-]{80,100}=*$/)
          .describe('The public key of the browser.'),
        auth: z
          .string()
          .regex(/^[\w-]{20,30}=*$/)
          .describe('Its authentication secret.'),
      })
      .describe('What messages are encrypted with.'),
    about: z.string().max(200).describe('The browser, as it describes itself.'),
  })
  .describe('What a browser gives when it subscribes to Web Push.');
export type PushSubscribed = z.infer<typeof PushSubscribed>;

/** A message as channels send it. */
export type ChannelMessage = {
  /** The id of the delivery; the same when it is sent again. */
  delivery: string;
  /** How often it was tried, with this one. */
  attempt: number;
  kind: AnnouncementKind | 'test' | 'message';
  /** The chat that it belongs to, where it is said in a conversation. */
  chat?: string;
  title: string;
  /** Markdown; empty where the channel may show the title only. */
  body: string;
  /** Where a person can see more; null without a dashboard. */
  link: string | null;
  /** The same for all messages about the same thing, so that a channel can group or replace them. */
  thread: string;
  /** The run, when it is about one. */
  run: string | null;
  urgency: 'low' | 'normal' | 'high';
  /** Files of the result; empty unless the channel shows full content. */
  files: readonly MessageFile[];
  /** Who sent the task through this channel, where the message is the reply to it. */
  origin: MessageOrigin | null;
  /** The message that this one replaces: an update, or the news that it is settled. */
  replaces: ReplacedMessage | null;
};

/** `delivery` sent it first, `ref` is its id at the service now. `answeredHere`: whoever settled it answered it there. */
type ReplacedMessage = { delivery: string; ref: string | null; isSettled: boolean; answeredHere?: true };

/** `read` gives its content as it is then; null when it is gone or must not leave. */
export type MessageFile = { name: string; bytes: number; read: () => Uint8Array | null };
type MessageOrigin = { from: string | null; thread: MessageThread | null };

/** A message that asks for an answer. */
export type ChannelQuestion = ChannelMessage & {
  wait: string;
  buttons: readonly AnswerButton[];
  /** The token of an answer in words, which may name an option, or approve or deny; null when only buttons answer it. */
  textToken: string | null;
  expires: string | null;
};

/** ntfy and browsers show no more. */
export const MOST_BUTTONS = 3;
/** `changesOutside`: what it allows changes something outside, so one tap by mistake must not be enough. */
export type AnswerButton = {
  label: string;
  token: string;
  verdict: 'approved' | 'denied' | 'answered';
  changesOutside?: true;
};

/** How an attempt ended. `isFinal`: trying again would not help. */
export type DeliveryOutcome =
  | { status: 'sent'; ref: string | null }
  | { status: 'failed'; reason: string; isFinal?: boolean; retryAfterMs?: number };

/** An answer as it came in. `message` names it at the service: what is delivered twice is handled once. */
export type IncomingAnswer = { message: string; token: string; text?: string; from: string | null; position?: string };

/** A task as it came in; whoever hands it over has authenticated its sender. `id` becomes the id of the task. */
export type IncomingTask = {
  message: string;
  id: string;
  from: string;
  title: string;
  text: string;
  files: readonly { name: string; bytes: Uint8Array }[];
  thread: MessageThread;
  position?: string;
};

/** A message for a conversation. `at` and `order` are the network's own, so that the same message is the same request. */
export type IncomingMessage = {
  message: string;
  conversation: string;
  from: string;
  text: string;
  at: number;
  order: number;
  position?: string;
};

export type PairedPerson = Pick<ChannelPaired, 'person' | 'chat' | 'name' | 'conversation'>;

/** Where a channel hands over what it received. Each resolves once it is durable, so that it may be marked as read. */
export type ChannelInbox = {
  answer(incoming: IncomingAnswer): Promise<Received>;
  task(incoming: IncomingTask): Promise<Received>;
  /** Records a message that nothing is made of, such as one that is refused. */
  refuse(incoming: { message: string; from: string | null; reason: string; position?: string }): Promise<void>;
  /** Whether a message was handled before. */
  isKnown(message: string): boolean;
  /** How many tasks of this sender came in since a moment within the last hour. */
  tasksSince(from: string, moment: number): number;
  /** The last `position` that was recorded; null at first. */
  position(): string | null;
  /** Says that the connection stands: from now on messages come in. */
  ready(): void;
  log(line: string): void;
  /** What messengers hand over beside that. */
  messenger?: MessengerInbox;
};

export type MessengerInbox = {
  /** Posts what a paired person has written to their conversation. */
  post(incoming: IncomingMessage): Promise<Received>;
  /** Those whom this channel listens to; the first is the owner, to whom announcements go. */
  paired(): readonly PairedPerson[];
  /** Whoever brought the code that `oka channels pair` has shown, once; null: it is not the code. */
  pair(by: Omit<PairedPerson, 'conversation'>, code: string): Promise<PairedPerson | null>;
  /** The token that denies, or answers in words, what a message of this channel asks; null: it asks nothing. */
  tokenFor(ref: string, choice: 'n' | 't'): string | null;
  /** Whether a token is that of the message at which it came back. */
  isTokenOf(token: string, ref: string): boolean;
  /** What is told to whoever asks for it: the owner about everything, others about the tasks that they have sent. */
  tell(about: 'status' | 'tasks' | 'cost', by: PairedPerson): string;
  /** The task that they have sent last from there; null: they have sent none. */
  lastTask(by: PairedPerson): { run: string; title: string; isOver: boolean } | null;
  mayUndo(run: string, by: Pick<PairedPerson, 'person' | 'chat'>): boolean;
  /** Undoes a run; resolves with what came of it, in words. */
  undo(run: string, message: string, signal: AbortSignal): Promise<string>;
  /** Has what is being written in a conversation stopped. */
  stop(conversation: string, message: string): void;
};

export type Received = { became: ChannelReceived['became']; reason: string };

/** The port: each folder of src/channels makes one. It neither retries nor records, and it never throws for the world. */
export type Channel = {
  announce(message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
  ask(question: ChannelQuestion, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Whether a message that `replaces` another takes its place, or follows it in its thread; else a group is a new message. */
  canUpdate?: true;
  /** Says that a message is settled, such as "Answered at 14:02". Left out where a message cannot be changed. */
  close?(message: ChannelMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
  /** Receives until the signal; rejects when the connection fails, and is then called again, later. */
  receive?(inbox: ChannelInbox, signal: AbortSignal): Promise<void>;
};

/** What a channel gets to work with. */
export type ChannelTools = {
  name: string;
  /** The value of a secret (`secret:NAME`) that a person has set for this channel and this host (`--tool channels.<name>`). */
  reveal(secret: string, host: string): Promise<string>;
  /** Asks a server that a person named in channels.json; a redirect is an answer. `certificate` is a pinned fingerprint. */
  fetch: ChannelFetch;
  /** The address of the egress proxy, with a ticket for this server alone, for clients that speak CONNECT; null: straight. */
  proxyFor(host: string, port: number): Promise<string | null>;
};

export type ChannelFetch = (url: URL, ask: ChannelRequest, certificate?: string) => Promise<Response>;
export type ChannelRequest = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
};
