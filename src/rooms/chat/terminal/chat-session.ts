/**
 * Owns: a conversation at a terminal: what a line leads to, and what is printed and drawn.
 * Does not own: the words of replies (streamed-words.ts), the input line (input-line.ts), the screen (bottom-screen.ts).
 *
 * 1. Ctrl-C stops replies, never the program; twice on an empty line, or Ctrl-D there, leaves. Agents go on.
 * 2. Nothing of a message, an agent or a tool reaches the terminal before terminalText has cleaned it.
 * 3. While a line is being written, forwards of this conversation wait (typing-files.ts).
 */
import { join } from 'node:path';
import { endTyping, noteTyping, typingFolders } from '../typing-files.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { USER } from '../../../core/schema/chat-names.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { messageOf } from '../../../core/schema/errors.ts';
import type { Call } from '../../../kit/cli/command-module.ts';
import { findWait, readOpenWaits } from '../../../kit/cli/find-run.ts';
import type { TerminalDevice } from '../../../kit/cli/io.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { submit } from '../../../kit/requests/submit-request.ts';
import { openBottomScreen } from './bottom-screen.ts';
import { type NamedChat, postMessage, requestChat } from './chat-access.ts';
import { bottomRows } from './chat-bottom.ts';
import { type FeedItem, isForPeople } from './chat-feed.ts';
import { addChatTask } from './chat-task.ts';
import type { FollowedChat, Words } from './follow-chat.ts';
import { openInputLine } from './input-line.ts';
import { completeMessage } from './message-lines.ts';
import { answerFrom, type OpenQuestion, renderQuestion } from './open-question.ts';
import { parseSlash, type SlashCommand, slashHelp } from './slash-commands.ts';
import { openStreamedWords } from './streamed-words.ts';
import type { Key } from './terminal-keys.ts';
import { terminalText } from './terminal-text.ts';
import { fitColumns } from './text-width.ts';

const TYPING_EVERY_MS = 2000;
const LEAVE_MS = 3000;
const NO_WORKER = 'No worker is running; messages are answered when one runs: oka up';

type SessionParts = {
  call: Call;
  chat: NamedChat;
  device: TerminalDevice;
  /** Who can be mentioned. */
  agents: readonly string[];
  followed: FollowedChat;
  /** Ends the session. */
  leave: () => void;
};

export class ChatSession {
  readonly #parts: SessionParts;
  readonly #screen;
  readonly #words;
  readonly #input;
  readonly #typingFolder: string;
  /** Messages that this person has sent and seen. */
  readonly #own = new Set<string>();
  readonly #messages: ChatMessage[];
  readonly #questions: OpenQuestion[] = [];
  #typedAt = 0;
  #interruptedAt = 0;

  constructor(parts: SessionParts) {
    const { call, device, agents, followed } = parts;
    this.#parts = parts;
    this.#screen = openBottomScreen(device.write);
    this.#words = openStreamedWords((agent) => `${call.terminal.bold(agent)}\n`);
    this.#messages = [...followed.messages];
    const before = followed.messages.filter(({ from }) => from === USER).map(({ content }) => content);
    this.#input = openInputLine(before, agents);
    [this.#typingFolder] = typingFolders(call.home.oka);
  }

  /** Shows the last messages, and what is asked already. */
  async start(): Promise<void> {
    const { call, chat, followed } = this.#parts;
    const { bold, dim } = call.terminal;
    const earlier = followed.messages.map((message) => this.#renderEarlier(message)).join('');
    this.#print(`${bold(chat.name)}${dim('  /help lists what you can do')}\n\n${earlier}`);
    if (penHolder(call.home.ledgers.run) === null) this.#notice(NO_WORKER);
    const waits = await readOpenWaits(call.home);
    for (const { run, agent } of followed.feed.replies()) {
      const open = run === null ? [] : waits.filter((each) => each.wait.startsWith(`${run}.`) && isForPeople(each.for));
      for (const { wait } of open) this.take({ kind: 'asked', agent, ...findWait(wait, open) });
    }
  }

  press(key: Key): void {
    const before = this.#input.draft().cells;
    const action = this.#input.press(key);
    if (action.kind !== 'interrupt') this.#interruptedAt = 0;
    switch (action.kind) {
      case 'line':
        endTyping(this.#typingFolder, this.#parts.chat.id);
        this.#typedAt = 0;
        this.#attempt(this.#enter(action.text));
        break;
      case 'interrupt':
        this.#interrupt();
        break;
      case 'end':
        this.#parts.leave();
        break;
      case 'redraw':
        this.#screen.clear();
        break;
      case 'edited':
        if (this.#input.draft().cells !== before) this.#noteTyped();
    }
    this.#draw();
  }

  take(item: FeedItem): void {
    const { call, device, followed, leave } = this.#parts;
    switch (item.kind) {
      case 'message':
        return this.#takeMessage(item.message);
      case 'call': {
        const line = `  ${item.agent} uses ${item.tool} ${oneLine(item.about)}`;
        return this.#notice(fitColumns(line, device.columns() - 1));
      }
      case 'asked':
        this.#questions.push(item);
        return this.#print(`${this.#words.flush()}${renderQuestion(item, call.terminal)}`);
      case 'answered':
        this.#removeQuestion(item.wait);
        return this.#draw();
      case 'changed':
        if (followed.feed.state() !== 'deleted') return this.#draw();
        this.#notice('The conversation was deleted.');
        return leave();
    }
  }

  addWords(words: Words): void {
    this.#print(this.#words.add(words, this.#parts.device.columns()));
  }

  resized(): void {
    this.#screen.resized(this.#parts.device.columns());
    this.#draw();
  }

  close(): void {
    const { call, chat, device } = this.#parts;
    endTyping(this.#typingFolder, chat.id);
    this.#screen.close();
    device.write(call.terminal.dim(`Left ${chat.name}. Back: oka chat join ${chat.name}\n`));
  }

  #draw(): void {
    const { call, device, followed } = this.#parts;
    this.#screen.draw(
      bottomRows({
        draft: this.#input.draft(),
        line: this.#words.lineInProgress(),
        replies: followed.feed.replies(),
        state: followed.feed.state(),
        question: this.#questions[0] ?? null,
        size: { columns: device.columns(), rows: device.rows() },
        terminal: call.terminal,
      }),
    );
  }

  #print(text: string): void {
    if (text !== '') this.#screen.print(text);
    this.#draw();
  }

  #notice(text: string): void {
    this.#print(`${this.#words.flush()}${this.#parts.call.terminal.dim(terminalText(text).trimEnd())}\n`);
  }

  /** What goes wrong is reported, and the chat goes on. */
  #attempt(work: Promise<unknown>): void {
    void work.catch((error: unknown) => this.#notice(messageOf(error)));
  }

  #takeMessage(message: ChatMessage): void {
    this.#messages.push(message);
    if (this.#own.has(message.id)) return;
    if (message.kind === 'system') return this.#notice(message.content);
    this.#attempt(
      completeMessage(this.#parts.call.home, message).then((complete) => this.#print(this.#words.settle(complete))),
    );
  }

  async #enter(text: string): Promise<void> {
    const [question] = this.#questions;
    const command = parseSlash(text);
    if (command !== null) return this.#obey(command);
    if (question !== undefined) return this.#answer(question, text);
    return this.#send(text.startsWith('//') ? text.slice(1) : text);
  }

  async #send(text: string): Promise<void> {
    const { call, chat, followed } = this.#parts;
    const id = await postMessage(call.home, chat, text.toWellFormed());
    this.#own.add(id);
    followed.expect(id);
    this.#print(`${this.#words.flush()}${call.terminal.dim('you')}\n${shorten(terminalText(text))}\n\n`);
    if (penHolder(call.home.ledgers.run) === null) this.#notice(NO_WORKER);
  }

  async #answer(question: OpenQuestion, text: string): Promise<void> {
    const given = answerFrom(question, text);
    if ('problem' in given) return this.#notice(given.problem);
    const { call } = this.#parts;
    const intake = { kind: 'answer', wait: question.wait, answer: given.answer } as const;
    await carryOut(call, intake, async () => {
      submit(join(call.home.oka, 'intake'), intake); // without a worker the conversation goes on when there is one
      return null;
    });
    this.#removeQuestion(question.wait);
    this.#draw();
  }

  #removeQuestion(wait: string): void {
    const at = this.#questions.findIndex((each) => each.wait === wait);
    if (at !== -1) this.#questions.splice(at, 1);
  }

  async #obey(command: SlashCommand): Promise<void> {
    const { call, chat, leave } = this.#parts;
    switch (command.kind) {
      case 'help':
        return this.#print(slashHelp(call.terminal.dim));
      case 'quit':
        return leave();
      case 'unknown':
        return this.#notice(command.problem);
      case 'say':
        return command.text === '' ? this.#notice('Write the message behind /say.') : this.#send(command.text);
      case 'stop':
        return this.#stopReplies();
      case 'pause':
      case 'resume': {
        const kind = command.kind === 'pause' ? 'chat_pause' : 'chat_resume';
        await requestChat(call, { kind, conversations: [chat.id], by: operatorName() });
        return this.#draw();
      }
      case 'task':
        return this.#notice(`Added: ${addChatTask(call.home, chat.name, this.#messages, command.text).title}`);
      case 'oka': {
        const { printed } = await call.runOther([...command.words, '--dir', call.home.dir]);
        return this.#print(`${this.#words.flush()}${printed}`);
      }
    }
  }

  #interrupt(): void {
    const { followed, leave } = this.#parts;
    if (Date.now() - this.#interruptedAt < LEAVE_MS) return leave();
    this.#interruptedAt = Date.now();
    // Words may come before the ledger was read, which names the reply.
    const hasReply = followed.feed.replies().length > 0 || this.#words.isWriting();
    if (!hasReply) return this.#notice('Press Ctrl-C again to leave.');
    this.#notice('Stopping the reply; Ctrl-C again leaves.');
    this.#attempt(this.#stopReplies());
  }

  async #stopReplies(): Promise<void> {
    const { call, chat } = this.#parts;
    await requestChat(call, { kind: 'chat_stop', conversation: chat.id, by: operatorName() });
  }

  #noteTyped(): void {
    const { chat } = this.#parts;
    const isEmpty = this.#input.draft().cells.length === 0;
    if (isEmpty) endTyping(this.#typingFolder, chat.id);
    if (isEmpty) this.#typedAt = 0;
    if (isEmpty || Date.now() - this.#typedAt < TYPING_EVERY_MS) return;
    this.#typedAt = Date.now();
    noteTyping(this.#typingFolder, chat.id);
  }

  #renderEarlier({ from, kind, content }: ChatMessage): string {
    const { bold, dim } = this.#parts.call.terminal;
    const text = terminalText(content);
    if (kind === 'system') return `${dim(text)}\n`;
    return from === USER ? `${dim('you')}\n${shorten(text)}\n\n` : `${bold(from)}\n${text}\n\n`;
  }
}

const MOST_LINES = 40;

/** A long text of a person, who knows it, is shown by its beginning. */
function shorten(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= MOST_LINES) return text;
  return [...lines.slice(0, MOST_LINES / 2), `… ${lines.length - MOST_LINES / 2} more lines`].join('\n');
}

const oneLine = (text: string): string => terminalText(text).replaceAll(/\s+/g, ' ');
