/**
 * Owns: messages through ntfy, with buttons, and the answers that come back through a topic of their own.
 *
 * N1 Every subscriber sees the buttons with their headers: the token in them may write to the answer topic, no more.
 * N2 A message has a sequence id, so that one that is sent again, updated or closed replaces the first on the phone.
 * N3 An answer is whatever the answer topic contains: only its own token makes it one.
 */
import type { NtfyChannel } from './ntfy-settings.ts';
import {
  type AnswerButton,
  type Channel,
  type ChannelInbox,
  type ChannelMessage,
  type ChannelQuestion,
  type ChannelTools,
  type DeliveryOutcome,
  MOST_BUTTONS,
} from '../../../core/schema/channel-port.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { bearerHeader } from '../bearer-token.ts';
import { attempt, toOutcome } from '../http-outcome.ts';
import { toPlainBody } from '../plain-body.ts';

/** The server takes 4,096 bytes as a message. */
const MOST_BODY = 3500;
const MOST_LINE = 20_000;
const PRIORITY = { low: 2, normal: 3, high: 4 } as const;
const TAGS: Partial<Record<ChannelMessage['kind'], string>> = {
  needs_you: 'raising_hand',
  done: 'white_check_mark',
  failed: 'x',
  budget: 'moneybag',
};

export function openNtfy(settings: NtfyChannel, tools: ChannelTools): Channel {
  const base = new URL(settings.url.replace(/\/?$/, '/'));
  const publish = (
    message: ChannelMessage,
    actions: readonly unknown[],
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> =>
    attempt(async () => {
      const body = JSON.stringify({ topic: settings.topic, ...toNtfy(message), actions });
      const headers = { 'content-type': 'application/json', ...(await bearerHeader(settings.token, base, tools)) };
      const response = await tools.fetch(base, { method: 'POST', headers, body, signal }, settings.certificate);
      return toOutcome(response, idIn);
    });
  return {
    announce: (message, signal) => publish(message, [], signal),
    ask: async (question, signal) => {
      const actions = await attemptActions(question, settings, base, tools);
      return 'reason' in actions ? actions : publish(question, actions.list, signal);
    },
    canUpdate: true,
    close: (message, signal) => publish(message, [], signal),
    ...(settings.answers === undefined
      ? {}
      : { receive: (inbox, signal) => receiveAnswers(settings, base, tools, inbox, signal) }),
  };
}

function toNtfy(message: ChannelMessage): Record<string, unknown> {
  const tag = message.replaces?.isSettled === true ? 'ballot_box_with_check' : TAGS[message.kind];
  return {
    title: message.title.slice(0, 250),
    message: toPlainBody(message.body, MOST_BODY) || describeKind(message.kind),
    priority: PRIORITY[message.urgency],
    tags: tag === undefined ? [] : [tag],
    sequence_id: sequenceOf(message.replaces?.delivery ?? message.delivery),
    ...(message.link === null ? {} : { click: message.link }),
  };
}

/** Letters, digits, - and _ only. */
const sequenceOf = (delivery: string): string => `oka-${delivery.replaceAll('.', '_')}`;

function describeKind(kind: ChannelMessage['kind']): string {
  switch (kind) {
    case 'needs_you':
      return 'It needs you.';
    case 'done':
      return 'Done.';
    case 'failed':
      return 'It failed.';
    case 'digest':
      return 'The digest of the day is there.';
    case 'budget':
      return 'Most of the budget of today is spent.';
    case 'message':
      return 'A message.';
    case 'test':
      return 'This channel works.';
  }
}

async function attemptActions(
  question: ChannelQuestion,
  settings: NtfyChannel,
  base: URL,
  tools: ChannelTools,
): Promise<{ list: unknown[] } | Extract<DeliveryOutcome, { status: 'failed' }>> {
  const { answers } = settings;
  // An answer that leaves out options would be a choice that oka has made: then the link, or the terminal, has all of them.
  if (answers === undefined || question.buttons.length > MOST_BUTTONS) return { list: [] };
  try {
    const headers = await bearerHeader(answers.button_token, base, tools);
    return { list: question.buttons.map((button) => toAction(button, new URL(answers.topic, base).href, headers)) };
  } catch (error) {
    return { status: 'failed', reason: error instanceof Error ? error.message : 'the button token cannot be read' };
  }
}

const toAction = ({ label, token }: AnswerButton, url: string, headers: Readonly<Record<string, string>>): unknown => ({
  action: 'http',
  label: label.slice(0, 40),
  url,
  method: 'POST',
  headers,
  body: token,
  clear: true,
});

function idIn(body: string): string | null {
  try {
    const { id } = JSON.parse(body) as { id?: unknown };
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

async function receiveAnswers(
  settings: NtfyChannel,
  base: URL,
  tools: ChannelTools,
  inbox: ChannelInbox,
  signal: AbortSignal,
): Promise<void> {
  const { topic = '', token = settings.token } = settings.answers ?? {};
  const url = new URL(`${topic}/json`, base);
  url.searchParams.set('since', inbox.position() ?? '1h');
  const headers = await bearerHeader(token, base, tools);
  const response = await tools.fetch(url, { method: 'GET', headers, signal }, settings.certificate);
  if (!response.ok || response.body === null)
    throw new OkaError('refused', `the answer topic cannot be read: the server answered with ${response.status}`);
  inbox.ready();
  for await (const line of linesOf(response.body)) await receiveLine(line, inbox);
  throw new OkaError('refused', 'the server ended the connection');
}

async function receiveLine(line: string, inbox: ChannelInbox): Promise<void> {
  let read: { id?: unknown; event?: unknown; message?: unknown };
  try {
    read = JSON.parse(line) as typeof read;
  } catch {
    return; // a line that was cut, or no JSON: the server sends it again
  }
  const { id, event, message } = read;
  if (event !== 'message' || typeof id !== 'string' || typeof message !== 'string' || inbox.isKnown(id)) return;
  const [token = '', ...words] = message.trim().split(/\s+/);
  await inbox.answer({ message: id, token, text: words.join(' '), from: null, position: id });
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MOST_LINE) rest = '';
    yield* lines.filter((line) => line !== '' && line.length <= MOST_LINE);
  }
}
