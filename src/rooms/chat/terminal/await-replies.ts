/** Waiting for everything that a message leads to: the replies of those it mentions, and of those that they mention. */
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { describeWait } from '../../../kit/views/event-sentence.ts';
import { type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { type FollowedChat, type Words } from './follow-chat.ts';
import { completeMessage } from './message-lines.ts';
import { terminalText } from './terminal-text.ts';

/** What oka reports about a message comes right behind it. */
const REPORT_MS = 150;

/** Returns the exit code: 0 when all replies were given. `onReply` also gets what oka itself reports. */
export async function awaitReplies(
  { home, signal, notify }: Pick<Call, 'home' | 'signal' | 'notify'>,
  { feed, follow, expect }: FollowedChat,
  message: string,
  onReply: (reply: ChatMessage) => void,
  onWords?: (words: Words) => void,
): Promise<number> {
  const stop = new AbortController();
  expect(message);
  let isPosted = false;
  let hasFailed = false;
  /** A model that cannot be asked now answers at some time: whoever waits is told, and let go. */
  let down: string | null = null;
  let reporting = Promise.resolve();
  let end: NodeJS.Timeout | undefined;
  await follow(
    AbortSignal.any([signal, stop.signal]),
    (item) => {
      if (item.kind === 'asked') notify(`${item.agent} waits for ${plainText(describeWait(item.for))}`);
      if (item.kind === 'message' && item.message.id === message) isPosted = true;
      else if (item.kind === 'message' && item.message.chain === message) {
        hasFailed ||= item.message.status !== undefined && item.message.status !== 'done';
        const { message: reply } = item;
        reporting = reporting.then(async () => onReply(await completeMessage(home, reply)));
      }
      const isOver = isPosted && feed.replies().every(({ chain }) => chain !== message);
      clearTimeout(end);
      for (const { chain, agent, state, why } of feed.replies())
        if (chain === message && state === 'waiting for its model') down = `${agent} waits for its model: ${why ?? ''}`;
      if (feed.state() === 'deleted') stop.abort();
      else if (down !== null) stop.abort();
      else if (isOver) end = setTimeout(() => stop.abort(), REPORT_MS);
    },
    onWords,
  );
  await reporting;
  if (signal.aborted) return exits.interrupted;
  if (down !== null) notify(`${plainText(down)} The answer follows when it can be asked again: oka chat view`);
  return hasFailed || down !== null || feed.state() === 'deleted' ? exits.no : exits.ok;
}

/** A reply for a person, with the name of its author. */
export function renderReply({ from, kind, content }: ChatMessage, { bold, dim }: Terminal): string {
  const text = terminalText(content);
  return kind === 'system' ? `${dim(text)}\n` : `${bold(`${from}:`)} ${text}\n`;
}
