/**
 * A server of the Bot API that is as strict as its documentation: one reader at a time, updates until they are
 * acknowledged by a later offset, limits of texts and buttons, HTML that has to be right, 429 with the time to wait.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const TOKEN = '123456:test-token-of-a-bot';

export type Shown = {
  id: number;
  chat: string;
  text: string;
  buttons: { text: string; callback_data: string }[];
  replyTo: number | null;
  edits: number;
  isDeleted: boolean;
  file: { name: string; bytes: number; isPhoto: boolean } | null;
};

export type TelegramServer = AsyncDisposable & {
  url: string;
  host: string;
  /** What the people see. */
  shown: Shown[];
  /** What was said at a button. */
  toasts: string[];
  /** What is completed as it is typed. */
  commands: () => readonly string[];
  /** How often somebody asked for updates. */
  polls: () => number;
  conflicts: () => number;
  /** A person writes; returns the id of the message. */
  write: (from: Person, text: string, more?: Record<string, unknown>) => number;
  writeFile: (from: Person, name: string, content: string, caption?: string) => number;
  press: (from: Person, message: Shown, label: string) => void;
  /** Updates come again, as after an acknowledgement that was lost. */
  repeat: (count: number) => void;
  /** The next requests that send something are answered so. */
  fail: (status: number, times: number, more?: Record<string, unknown>) => void;
  /** The answers to the next messages are lost: they were sent, and the connection breaks. */
  loseNext: (times: number) => void;
};

export type Person = { id: number; first_name: string; chat?: { id: number; type: string } };

type Update = { update_id: number; [kind: string]: unknown };
type Ask = Record<string, unknown>;
type Result = { status: number; body: Record<string, unknown> };

const ok = (result: unknown): Result => ({ status: 200, body: { ok: true, result } });
const no = (status: number, description: string, more: Record<string, unknown> = {}): Result => ({
  status,
  body: { ok: false, error_code: status, description, ...more },
});

class Bot {
  readonly shown: Shown[] = [];
  readonly toasts: string[] = [];
  readonly files = new Map<string, Buffer>();
  polls = 0;
  conflicts = 0;
  commands: string[] = [];
  #pending: Update[] = [];
  #seen: Update[] = [];
  #nextUpdate = 1000;
  #nextMessage = 1;
  #reader: { end: (result: Result) => void } | null = null;
  #wake: () => void = () => undefined;
  #failures: Result[] = [];

  failNext(result: Result, times: number): void {
    this.#failures.push(...Array.from({ length: times }, () => result));
  }

  repeat(count: number): void {
    this.#pending = [...this.#seen.slice(-count), ...this.#pending];
    this.#wake();
  }

  update(kind: 'message' | 'callback_query', data: Record<string, unknown>): void {
    this.#pending.push({ update_id: (this.#nextUpdate += 1), [kind]: data });
    this.#wake();
  }

  nextMessage = (): number => (this.#nextMessage += 1);

  async updates({ offset = 0, timeout = 0 }: { offset?: number; timeout?: number }): Promise<Result> {
    this.polls += 1;
    if (this.#reader !== null) {
      this.conflicts += 1;
      this.#reader.end(no(409, 'Conflict: terminated by other getUpdates request'));
    }
    const { promise, resolve } = Promise.withResolvers<Result>();
    const mine = { end: resolve };
    this.#reader = mine;
    const gone = this.#pending.filter(({ update_id }) => update_id < offset);
    this.#seen.push(...gone);
    this.#pending = this.#pending.filter(({ update_id }) => update_id >= offset);
    const give = (): void => resolve(ok(this.#pending.slice(0, 100)));
    if (this.#pending.length > 0 || timeout === 0) give();
    else {
      this.#wake = () => give();
      void sleep(Math.min(timeout * 1000, 2000), undefined, { ref: false }).then(give);
    }
    const result = await promise;
    if (this.#reader === mine) this.#reader = null;
    return result;
  }

  call(method: string, ask: Ask): Result {
    const failure =
      (method.startsWith('send') && method !== 'sendChatAction') || method.startsWith('edit')
        ? this.#failures.shift()
        : undefined;
    if (failure !== undefined) return failure;
    switch (method) {
      case 'sendMessage':
        return this.#send(ask, null);
      case 'sendPhoto':
      case 'sendDocument': {
        const file = ask[method === 'sendPhoto' ? 'photo' : 'document'];
        if (!(file instanceof File)) return no(400, 'Bad Request: there is no file in the request');
        return this.#send({ ...ask, text: '' }, { name: file.name, bytes: file.size, isPhoto: method === 'sendPhoto' });
      }
      case 'editMessageText':
        return this.#edit(ask, (message, text, buttons) => ({ ...message, text, buttons }));
      case 'editMessageReplyMarkup':
        return this.#edit({ ...ask, text: 'unchanged' }, (message, _text, buttons) => ({ ...message, buttons }));
      case 'deleteMessage':
        return this.#edit({ ...ask, text: 'gone' }, (message) => ({ ...message, isDeleted: true }));
      case 'answerCallbackQuery':
        this.toasts.push(textIn(ask));
        return ok(true);
      case 'sendChatAction':
        return ok(true);
      case 'setMyCommands':
        return this.#offer(ask['commands'] as { command: string; description: string }[]);
      case 'getFile': {
        const id = String(ask['file_id']);
        const found = this.files.get(id);
        if (found !== undefined && found.length > 20 * 1024 * 1024) return no(400, 'Bad Request: file is too big');
        return found === undefined
          ? no(400, 'Bad Request: invalid file_id')
          : ok({ file_id: id, file_path: `documents/${id}`, file_size: found.length });
      }
      default:
        return no(404, 'Not Found: method not found');
    }
  }

  #offer(commands: { command: string; description: string }[]): Result {
    if (commands.some(({ command, description: { length } }) => !/^[a-z0-9_]{1,32}$/.test(command) || length > 256))
      return no(400, 'Bad Request: BOT_COMMAND_INVALID');
    this.commands = commands.map(({ command }) => command);
    return ok(true);
  }

  #send(ask: Ask, file: Shown['file']): Result {
    const read = readText(ask, file !== null);
    if ('status' in read) return read;
    const id = this.nextMessage();
    const replied = (ask['reply_parameters'] as { message_id?: unknown } | undefined)?.message_id;
    if (replied !== undefined && typeof replied !== 'number')
      return no(400, 'Bad Request: message_id must be a number');
    const chat = String(ask['chat_id']);
    this.shown.push({ id, chat, ...read, replyTo: replied ?? null, edits: 0, isDeleted: false, file });
    return ok({ message_id: id, chat: { id: Number(chat) } });
  }

  #edit(ask: Ask, change: (message: Shown, text: string, buttons: Shown['buttons']) => Shown): Result {
    const at = this.shown.findIndex(({ id, chat }) => id === ask['message_id'] && chat === String(ask['chat_id']));
    const before = this.shown[at];
    if (before === undefined || before.isDeleted) return no(400, 'Bad Request: message to edit not found');
    const read = readText(ask, false);
    if ('status' in read) return read;
    const after = change(before, read.text, read.buttons);
    if (JSON.stringify(after) === JSON.stringify(before))
      return no(400, 'Bad Request: message is not modified: specified new message content is the same');
    this.shown[at] = { ...after, edits: before.edits + 1 };
    return ok({ message_id: before.id });
  }
}

const textIn = ({ text }: Ask): string => (typeof text === 'string' ? text : '');

const TAGS = new Set(['b', 'i', 'u', 's', 'code', 'pre', 'a', 'blockquote']);

/** Text, tags and buttons by the rules of the documentation. */
function readText(ask: Ask, mayBeEmpty: boolean): Pick<Shown, 'text' | 'buttons'> | Result {
  const raw = textIn(ask);
  const text = ask['parse_mode'] === 'HTML' ? plainOfHtml(raw) : raw;
  if (text === null) return no(400, "Bad Request: can't parse entities: unsupported or unclosed tag");
  if (text.trim() === '' && !mayBeEmpty) return no(400, 'Bad Request: message text is empty');
  if (text.length > 4096) return no(400, 'Bad Request: message is too long');
  const { inline_keyboard: rows = [] } = (ask['reply_markup'] ?? {}) as { inline_keyboard?: Shown['buttons'][] };
  const buttons = rows.flat();
  if (buttons.some(({ callback_data: data }) => Buffer.byteLength(data) > 64 || data === ''))
    return no(400, 'Bad Request: BUTTON_DATA_INVALID');
  return { text, buttons };
}

function plainOfHtml(html: string): string | null {
  const open: string[] = [];
  let text = '';
  let last = 0;
  for (const match of html.matchAll(/<(\/?)([^>]*)>/g)) {
    const [all, slash, tag = ''] = match;
    text += html.slice(last, match.index);
    last = match.index + all.length;
    if (!TAGS.has(tag)) return null;
    if (slash === '') open.push(tag);
    else if (open.pop() !== tag) return null;
  }
  text += html.slice(last);
  if (open.length > 0 || text.includes('<')) return null;
  if (/&(?!amp;|lt;|gt;|quot;|#\d+;)/.test(text)) return null;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

async function bodyOf(request: IncomingMessage): Promise<Ask> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return JSON.parse(Buffer.concat(chunks).toString()) as Ask;
  const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData();
  return Object.fromEntries(form.entries());
}

export async function openTelegramServer(): Promise<TelegramServer> {
  const bot = new Bot();
  let lost = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, kind, token, rest = ''] = /^\/(bot|file\/bot)([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
    const reply = ({ status, body }: Result): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (token !== TOKEN) return reply(no(401, 'Unauthorized'));
    if (kind === 'file/bot') {
      const found = bot.files.get(rest.replace('documents/', ''));
      response.writeHead(found === undefined ? 404 : 200).end(found);
      return;
    }
    const ask = await bodyOf(request);
    const result = rest === 'getUpdates' ? await bot.updates(ask) : bot.call(rest, ask);
    if (lost > 0 && rest === 'sendMessage') {
      lost -= 1;
      response.destroy();
    } else reply(result);
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const chatOf = ({ id, chat }: Person): { id: number; type: string } => chat ?? { id, type: 'private' };
  const write: TelegramServer['write'] = (from, text, more = {}) => {
    const message_id = bot.nextMessage();
    const date = Math.floor(Date.now() / 1000);
    bot.update('message', { message_id, date, from, chat: chatOf(from), ...(text === '' ? {} : { text }), ...more });
    return message_id;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    shown: bot.shown,
    toasts: bot.toasts,
    commands: () => bot.commands,
    polls: () => bot.polls,
    conflicts: () => bot.conflicts,
    write,
    writeFile: (from, name, content, caption) => {
      const file_id = `file-${bot.files.size + 1}`;
      bot.files.set(file_id, Buffer.from(content));
      const document = { file_id, file_name: name, file_size: Buffer.byteLength(content) };
      return write(from, '', { document, ...(caption === undefined ? {} : { caption }) });
    },
    press: (from, message, label) => {
      const button = message.buttons.find(({ text }) => text === label);
      if (button === undefined) throw new Error(`there is no button ${label}`);
      const at = { message_id: message.id, chat: chatOf(from) };
      bot.update('callback_query', { id: `c${bot.nextMessage()}`, from, message: at, data: button.callback_data });
    },
    repeat: (count) => bot.repeat(count),
    fail: (status, times, more = {}) => bot.failNext(no(status, 'a planted failure', more), times),
    loseNext: (times) => (lost = times),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
