/**
 * Owns: the Bot API of Telegram as a messenger: long polling, one update after the other.
 *
 * T1 An update counts as received when the next request names a later one, which happens after it is durable here.
 * T2 The token is a part of every address, so no address is in an error.
 */
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import {
  type Incoming,
  type IncomingFile,
  type IncomingText,
  type Listening,
  type Messenger,
  NetworkError,
  type OutgoingButton,
  type OutgoingText,
  readUpTo,
} from '../messenger/messenger.ts';
import { COMMANDS } from '../messenger/take-text.ts';
import type { TelegramChannel } from './telegram-settings.ts';

/** Of a message, after its markup is read; a little below the 4,096 that are documented. */
const MOST_TEXT = 4000;
const POLL_SECONDS = 50;
const MEBIBYTE = 1024 * 1024;

type Call = (
  method: string,
  ask: Readonly<Record<string, unknown>> | FormData,
  signal: AbortSignal,
) => Promise<unknown>;

export function telegramMessenger(settings: TelegramChannel, tools: ChannelTools): Messenger {
  const call = openCalls(settings, tools);
  const edit = async (method: string, ask: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> => {
    try {
      await call(method, ask, signal);
    } catch (error) {
      if (!(error instanceof NetworkError) || !/is not modified/.test(error.message)) throw error;
    }
  };
  return {
    limits: { text: MOST_TEXT, payload: 64, buttons: 8, fileBytes: 45 * MEBIBYTE, markup: 'html', repeats: 'visible' },
    listen: (take, listening) => poll(call, take, listening),
    sendText: async (chat, text, signal) =>
      idOf(
        await withPlain(text, (words) => call('sendMessage', { chat_id: chat, ...words, ...replyTo(text) }, signal)),
      ),
    editText: async (chat, id, text, signal) => {
      await withPlain(text, (words) =>
        edit('editMessageText', { chat_id: chat, message_id: Number(id), ...words }, signal),
      );
    },
    editButtons: (chat, id, buttons, signal) =>
      edit(
        'editMessageReplyMarkup',
        { chat_id: chat, message_id: Number(id), reply_markup: keyboard(buttons) },
        signal,
      ),
    sendFile: async (chat, { name, content, isPicture, caption }, signal) => {
      const form = new FormData();
      form.set('chat_id', chat);
      if (caption !== '') form.set('caption', caption);
      const isPhoto = isPicture && content.length < 10 * MEBIBYTE;
      form.set(isPhoto ? 'photo' : 'document', new File([new Uint8Array(content)], name));
      return idOf(await call(isPhoto ? 'sendPhoto' : 'sendDocument', form, signal));
    },
    fetchFile: async ({ id }, most, signal) => {
      const { file_path: path, file_size: size } = (await call('getFile', { file_id: id }, signal)) as TelegramFile;
      if (path === undefined || (size ?? 0) > most) throw new NetworkError('the file is too large', { isFinal: true });
      return download(settings, tools, path, most, signal);
    },
    typing: async (chat, signal) => void (await call('sendChatAction', { chat_id: chat, action: 'typing' }, signal)),
    answerPress: async (press, text, signal) => {
      await call('answerCallbackQuery', { callback_query_id: press, text: text.slice(0, 190) }, signal).catch(
        () => undefined,
      ); // it is only shown for a moment, and expires
    },
  };
}

type TelegramFile = { file_path?: string; file_size?: number };

function openCalls({ token, api }: TelegramChannel, tools: ChannelTools): Call {
  return async (method, ask, signal) => {
    const url = await addressOf({ token, api }, tools, 'bot', method);
    const form = ask instanceof FormData ? new Response(ask) : null;
    const body = form === null ? JSON.stringify(ask) : new Uint8Array(await form.arrayBuffer());
    const headers = { 'content-type': form?.headers.get('content-type') ?? 'application/json' };
    const response = await tools.fetch(url, { method: 'POST', headers, body, signal });
    return readAnswer(response.status, await response.text());
  };
}

/** The token stands in it, so it is in no error (T2). */
async function addressOf(
  { token, api }: Pick<TelegramChannel, 'token' | 'api'>,
  tools: ChannelTools,
  kind: 'bot' | 'file/bot',
  path: string,
): Promise<URL> {
  const secret = await tools.reveal(token, new URL(api).host);
  if (!/^[\w:-]{5,200}$/.test(secret))
    throw new NetworkError('the token of the bot has a wrong form', { isFinal: true });
  return new URL(`${api.replace(/\/$/, '')}/${kind}${secret}/${path}`);
}

type Answer = { ok?: boolean; result?: unknown; description?: string; parameters?: { retry_after?: number } };

function readAnswer(status: number, text: string): unknown {
  let answer: Answer;
  try {
    answer = JSON.parse(text) as Answer;
  } catch {
    throw new NetworkError(`Telegram answered with ${status}, and not with JSON`, { isDoubtful: true });
  }
  if (answer.ok === true) return answer.result;
  const seconds = answer.parameters?.retry_after;
  const reason = `Telegram answered with ${status}: ${(answer.description ?? '').slice(0, 300)}`;
  const isFinal = status === 400 || status === 403;
  const isDoubtful = status >= 500;
  throw new NetworkError(reason, {
    isFinal,
    isDoubtful,
    ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
  });
}

async function download(
  settings: TelegramChannel,
  tools: ChannelTools,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = await addressOf(settings, tools, 'file/bot', path);
  const response = await tools.fetch(url, { method: 'GET', headers: {}, signal });
  if (!response.ok) throw new NetworkError(`the file is not there: ${response.status}`);
  return readUpTo(response, most);
}

/** Where the markup is not understood, the words matter more. */
async function withPlain<T>(
  { text, plain, buttons }: OutgoingText,
  send: (words: Readonly<Record<string, unknown>>) => Promise<T>,
): Promise<T> {
  const rest = { link_preview_options: { is_disabled: true }, reply_markup: keyboard(buttons) };
  try {
    return await send({ text, parse_mode: 'HTML', ...rest });
  } catch (error) {
    if (!(error instanceof NetworkError) || !/can't parse entities/i.test(error.message)) throw error;
    return send({ text: plain, ...rest });
  }
}

const keyboard = (buttons: readonly OutgoingButton[]): unknown => ({
  inline_keyboard: buttons.map(({ label, payload }) => [{ text: label.slice(0, 60), callback_data: payload }]),
});

const replyTo = ({ replyTo: id }: OutgoingText): Readonly<Record<string, unknown>> =>
  id === null ? {} : { reply_parameters: { message_id: Number(id), allow_sending_without_reply: true } };

function idOf(result: unknown): string {
  const { message_id: id } = result as { message_id?: number };
  if (id === undefined) throw new NetworkError('Telegram has not named the message');
  return String(id);
}

async function poll(call: Call, take: (incoming: Incoming) => Promise<void>, listening: Listening): Promise<void> {
  const { position, signal } = listening;
  let next = position === null ? 0 : Number(position) + 1;
  for (let timeout = 0; !signal.aborted; timeout = POLL_SECONDS) {
    const ask = { offset: next, timeout, allowed_updates: ['message', 'callback_query'] };
    const updates = (await call('getUpdates', ask, signal)) as Update[];
    listening.ready();
    if (timeout === 0) await offerCommands(call, signal);
    for (const update of updates) {
      const incoming = toIncoming(update);
      if (incoming !== null) await take(incoming);
      next = Math.max(next, update.update_id + 1);
    }
  }
}

/** They are completed as they are typed. Nothing depends on it. */
async function offerCommands(call: Call, signal: AbortSignal): Promise<void> {
  const commands = Object.entries(COMMANDS).map(([command, description]) => ({ command, description }));
  await call('setMyCommands', { commands }, signal).catch(() => undefined); // it works without
}

type User = { id: number; first_name?: string; last_name?: string; username?: string };
type Chat = { id: number; type: string };
type Sized = { file_id: string; file_size?: number; file_name?: string };
type Message = {
  message_id: number;
  from?: User;
  chat: Chat;
  date: number;
  text?: string;
  caption?: string;
  photo?: Sized[];
  document?: Sized;
  voice?: Sized;
  audio?: Sized;
  video?: Sized;
  forward_origin?: unknown;
  reply_to_message?: { message_id: number };
};
type Press = { id: string; from: User; message?: { message_id: number; chat: Chat }; data?: string };
type Update = { update_id: number; message?: Message; callback_query?: Press };

function toIncoming({ update_id, message, callback_query: press }: Update): Incoming | null {
  const position = String(update_id);
  if (press?.message !== undefined) {
    const { from, message: at, data = '', id } = press;
    const place = { chat: String(at.chat.id), isGroup: at.chat.type !== 'private', ...personOf(from) };
    const about = { id: `press-${id}`, position, at: 0, order: update_id, ...place };
    return { kind: 'press', ...about, message: String(at.message_id), payload: data, press: id };
  }
  return message?.from === undefined ? null : toText({ ...message, from: message.from }, position);
}

function toText(message: Message & { from: User }, position: string): IncomingText {
  const { message_id, from, chat, date, text, caption, voice, photo, document, audio, video } = message;
  const largest = photo?.at(-1);
  const files: IncomingFile[] = [
    ...(largest === undefined ? [] : [toFile(largest, 'photo.jpg')]),
    ...[document, audio, video].flatMap((each) => (each === undefined ? [] : [toFile(each, 'file')])),
  ];
  return {
    kind: 'text',
    id: `${chat.id}/${message_id}`,
    place: String(message_id),
    position,
    at: date * 1000,
    order: message_id,
    chat: String(chat.id),
    isGroup: chat.type !== 'private',
    ...personOf(from),
    text: text ?? caption ?? '',
    replyTo: message.reply_to_message === undefined ? null : String(message.reply_to_message.message_id),
    isForwarded: message.forward_origin !== undefined,
    isVoice: voice !== undefined,
    files,
  };
}

const toFile = ({ file_id, file_name, file_size }: Sized, name: string): IncomingFile => ({
  id: file_id,
  name: file_name ?? name,
  bytes: file_size ?? null,
});

const personOf = ({ id, first_name = '', last_name = '', username }: User): { person: string; name: string } => ({
  person: String(id),
  name: [first_name, last_name].filter((part) => part !== '').join(' ') || (username ?? 'somebody'),
});
