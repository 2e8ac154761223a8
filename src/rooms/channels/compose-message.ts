/**
 * Owns: the words of a message.
 *
 * M1 Every text is redacted here, whatever channel it goes through.
 * M2 Where a channel may show the title only, a message has no other words, no options and no files.
 * M3 Approving is offered only for classes of calls that the operator named; denying always.
 */
import type { ChannelPolicy } from '../../core/schema/channel.ts';
import type { ChannelSettings } from './channel-definition.ts';
import { kindOf } from './channel-kinds.ts';
import {
  type AnswerButton,
  type ChannelMessage,
  type ChannelQuestion,
  type DeliveryStarted,
  type MessageFile,
  MOST_BUTTONS,
} from '../../core/schema/channel-port.ts';
import type { Redact } from '../../core/schema/ports.ts';
import { makeToken } from './answer-token.ts';
import {
  announcedThings,
  type AskedWait,
  channelState,
  type Reaching,
  type SentMessage,
  type Thing,
} from './reaching-state.ts';
import { timeIn } from './zone-clock.ts';

export type Composing = {
  state: Reaching;
  policy: ChannelPolicy;
  settings: ChannelSettings;
  key: Buffer;
  redact: Redact;
  /** RESULT.md of a run and the files next to it. */
  readResult: (run: string) => { text: string; files: MessageFile[] } | null;
  /** The page of a day. */
  readDay: (date: string) => string | null;
};

const DAY_MS = 86_400_000;
const MOST_LISTED = 20;
const MOST_BODY = 20_000;

export type Composed = { message: ChannelMessage } | { question: ChannelQuestion };

export function composeMessage(start: DeliveryStarted, composing: Composing): Composed {
  const { state, settings, policy, redact } = composing;
  const things = announcedThings(state, start);
  const [only] = things.length === 1 ? things : [];
  const isFull = settings.content === 'full' || start.kind === 'message';
  const result = isFull && only?.wait === null && only.run !== null ? composing.readResult(only.run) : null;
  const replaced = start.of === undefined ? undefined : channelState(state, start.channel).messages[start.of];
  const body =
    start.act === 'close'
      ? [closedText(replaced, policy), ...(isFull && things.length > 0 ? [listOf(things, redact)] : [])].join('\n\n')
      : isFull
        ? bodyOf(start, things, result, composing)
        : '';
  const message: ChannelMessage = {
    delivery: start.delivery,
    attempt: start.attempt,
    kind: start.kind,
    ...(only?.to === undefined ? {} : { chat: only.to.chat }),
    title: redact(start.title),
    body: redact(body).slice(0, MOST_BODY),
    link: linkOf(policy, things),
    thread: replaced?.root ?? start.of ?? only?.run ?? start.delivery,
    run: only?.run ?? null,
    urgency: urgencyOf(start, things),
    files: result?.files ?? [],
    origin: originOf(start, only, state),
    replaces: start.of === undefined ? null : replacedMessage(start, replaced),
  };
  const wait = only?.wait ?? null;
  if (wait === null || start.act === 'close') return { message };
  const buttons = buttonsOf(start.delivery, wait, composing).map((each) => ({ ...each, label: redact(each.label) }));
  const canReply = wait.kind === 'question' || (wait.kind === 'approval' && isFull);
  const textToken = canReply ? makeToken(composing.key, start.delivery, wait, 't') : null;
  return { question: { ...message, wait: wait.id, buttons, textToken, expires: wait.expires } };
}

/** An update is as urgent as what it adds. */
function urgencyOf({ kind, act, things: added }: DeliveryStarted, things: readonly Thing[]): ChannelMessage['urgency'] {
  if (act === 'close' || kind === 'message') return 'low';
  if (act === 'send') return kind === 'needs_you' ? 'high' : 'normal';
  return things.some(({ key, wait }) => wait !== null && added.includes(key)) ? 'high' : 'normal';
}

function replacedMessage(
  { of = '', channel, act }: DeliveryStarted,
  replaced: SentMessage | undefined,
): ChannelMessage['replaces'] {
  const isHere = replaced?.settled?.through === channel;
  return {
    delivery: replaced?.root ?? of,
    ref: replaced?.ref ?? null,
    isSettled: act === 'close',
    ...(isHere ? { answeredHere: true } : {}),
  };
}

function originOf(start: DeliveryStarted, only: Thing | undefined, state: Reaching): ChannelMessage['origin'] {
  const origin = only?.run === null || only === undefined ? undefined : state.origins[only.run];
  return origin === undefined || origin.channel !== start.channel ? null : { from: origin.from, thread: origin.thread };
}

function bodyOf(
  start: DeliveryStarted,
  things: readonly Thing[],
  result: { text: string } | null,
  { readDay, policy, settings, redact }: Composing,
): string {
  const [only, ...others] = things;
  if (start.kind === 'test') return 'This channel works.';
  if (only === undefined) return '';
  if (others.length > 0) return listOf(things, redact);
  const reminder = start.reminder === undefined ? '' : 'Reminder: this still waits for you.\n\n';
  if (only.kind === 'digest') return readDay(timeIn(policy.time_zone, only.at - DAY_MS).date) ?? 'Nothing happened.';
  return `${reminder}${result?.text ?? only.text}${howToAnswer(only.wait, policy, settings)}`;
}

/** The command, where neither a button nor a reply nor the dashboard takes the answer. */
function howToAnswer(wait: AskedWait | null, { dashboard }: ChannelPolicy, settings: ChannelSettings): string {
  const by = kindOf(settings).answeredBy?.(settings) ?? null;
  if (wait === null || dashboard !== undefined || by === 'words') return '';
  const { id, kind, options } = wait;
  const hasButtons = by === 'buttons';
  if (kind === 'approval') return hasButtons ? '' : `\n\nTo answer: oka approve ${id}, or oka deny ${id}`;
  if (kind !== 'question' || (hasButtons && options.length > 0 && options.length <= MOST_BUTTONS)) return '';
  const possible = options.length === 0 ? '' : `Possible answers: ${options.join(', ')}\n`;
  return `\n\n${possible}To answer: oka answer ${id} "…"`;
}

/** Each text is redacted before it is shortened, so that no part of a value is left. */
function listOf(things: readonly Thing[], redact: Redact): string {
  const lines = things.slice(0, MOST_LISTED).map(({ title, kind, text }) => {
    const said = kind === 'needs_you' ? text : kind === 'failed' ? `failed: ${text}` : kind;
    return `- ${title}: ${redact(said).replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  });
  const more = things.length - lines.length;
  return [...lines, ...(more > 0 ? [`- … and ${more} more`] : [])].join('\n');
}

function closedText(
  replaced: { settled: { at: number; how: string } | null } | undefined,
  policy: ChannelPolicy,
): string {
  const settled = replaced?.settled;
  if (settled === undefined || settled === null) return 'Settled.';
  const { minutes } = timeIn(policy.time_zone, settled.at);
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  return `${HOW[settled.how] ?? 'Settled'} at ${clock}.`;
}

const HOW: Readonly<Record<string, string>> = {
  approved: 'Approved',
  denied: 'Denied',
  answered: 'Answered',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

function linkOf({ dashboard }: ChannelPolicy, things: readonly Thing[]): string | null {
  if (dashboard === undefined) return null;
  const [only] = things.length === 1 ? things : [];
  const path = only?.run === null || only === undefined ? '' : `runs/${encodeURIComponent(only.run)}`;
  return new URL(path, dashboard.replace(/\/?$/, '/')).href;
}

function buttonsOf(delivery: string, wait: AskedWait, { key, policy, settings }: Composing): AnswerButton[] {
  if (wait.kind === 'approval') {
    const mayApprove = settings.content === 'full' && canApprove(approvable(settings, policy), wait);
    const outside = wait.class === 'external_mutation' ? { changesOutside: true as const } : {};
    return [
      ...(mayApprove
        ? [{ label: 'Approve', token: makeToken(key, delivery, wait, 'y'), verdict: 'approved' as const, ...outside }]
        : []),
      ...(mayApprove && wait.tool !== undefined
        ? [
            {
              label: 'Always for this tool',
              token: makeToken(key, delivery, wait, 'a'),
              verdict: 'approved' as const,
              ...outside,
            },
          ]
        : []),
      { label: 'Deny', token: makeToken(key, delivery, wait, 'n'), verdict: 'denied' },
    ];
  }
  if (settings.content === 'title') return [];
  return wait.options.map((label, index) => ({
    label,
    token: makeToken(key, delivery, wait, `${index}`),
    verdict: 'answered',
  }));
}

/** Classes of calls that the operator allows to be approved from a message of this channel. */
export const approvable = (settings: ChannelSettings, policy: ChannelPolicy): readonly string[] =>
  settings.approve_by_button ?? (kindOf(settings).isMessenger === true ? BY_MESSENGER : policy.approve_by_button);

/** Only paired people are heard there, and what changes something outside takes a second tap. */
const BY_MESSENGER = ['write_local', 'external_mutation'];

export const canApprove = (classes: readonly string[], wait: AskedWait): boolean =>
  wait.class !== null && classes.includes(wait.class);
