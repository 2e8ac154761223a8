/**
 * Owns: a conversation through a pipe: each line that comes in is a message, each message that others post is a line.
 * When the input ends, it waits for the answers to what was sent.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { type Call, exits } from '../../../kit/cli/command-module.ts';
import { type NamedChat, postMessage } from './chat-access.ts';
import { followChat } from './follow-chat.ts';
import { completeMessage } from './message-lines.ts';

const POLL_MS = 50;
/** What oka reports about a message comes right behind it. */
const REPORT_MS = 150;

/** Returns the exit code. */
export async function talkThroughPipe(
  call: Pick<Call, 'home' | 'progress' | 'rooms' | 'signal' | 'stdin' | 'notify'>,
  chat: NamedChat,
  onMessage: (message: ChatMessage) => void,
): Promise<number> {
  const { home, signal } = call;
  const { follow, feed } = await followChat(call, chat, { limit: 0 });
  const ended = new AbortController();
  const sent = new Set<string>();
  const open = new Set<string>();
  let hasFailed = false;
  let printing = Promise.resolve();
  const following = follow(AbortSignal.any([signal, ended.signal]), (item) => {
    if (item.kind !== 'message') return;
    const { message } = item;
    open.delete(message.id);
    if (sent.has(message.id)) return;
    hasFailed ||= message.status !== undefined && message.status !== 'done';
    printing = printing.then(async () => onMessage(await completeMessage(home, message)));
  });
  for await (const line of createInterface({ input: call.stdin, signal })) {
    if (line.trim() === '') continue;
    const id = await postMessage(home, chat, line.toWellFormed());
    sent.add(id);
    open.add(id);
  }
  const isAnswered = (): boolean =>
    open.size === 0 && feed.replies().every(({ chain }) => chain === null || !sent.has(chain));
  const isOver = (): boolean => isAnswered() || feed.state() === 'deleted' || penHolder(home.ledgers.run) === null;
  while (!signal.aborted && !isOver()) await sleep(POLL_MS);
  if (sent.size > 0 && isAnswered()) await sleep(REPORT_MS);
  ended.abort();
  await following;
  await printing;
  if (signal.aborted) return exits.interrupted;
  if (!isAnswered() && sent.size > 0) {
    call.notify('No worker is running; what you sent is answered when one runs: oka up');
    return exits.waiting;
  }
  return hasFailed ? exits.no : exits.ok;
}
