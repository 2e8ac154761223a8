/** What commands about conversations have in common: finding one by its name, and asking the worker to change something. */
import { join } from 'node:path';
import { listConversations } from '../model/chat-queries.ts';
import { newChatId } from '../model/chat-ids.ts';
import type { ChatIntake } from '../model/chat-state.ts';
import { chatRequestId, submitChat } from '../submit-chat.ts';
import { openHomeVault } from '../../../kit/vault/home-vault.ts';
import { awaitReply, repliesFolder, wantReply, withdrawRequest } from '../../../kit/requests/request-replies.ts';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { ConversationName } from '../../../core/schema/chat.ts';
import { LONGEST_CONTENT } from '../../../core/schema/chat-names.ts';
import type { ConversationEntry } from '../../../core/schema/chat-answers.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { nearestWord } from '../../../core/schema/nearest-word.ts';
import type { Json } from '../../../core/schema/json.ts';
import { unchangedIn } from '../../../core/schema/room.ts';
import { type AskingCall, askOrDo } from '../../../kit/cli/carry-out.ts';
import type { Call } from '../../../kit/cli/command-module.ts';
import { withHost } from '../../../kit/cli/host-here.ts';
import { readChats } from './read-chats.ts';

export type ChatCall = Pick<Call, 'home' | 'progress' | 'rooms' | 'signal'>;

/** A conversation that is there, or that a request in the intake folder is going to begin. */
export type NamedChat = { id: string; name: string };

/** `isDone` is false when the worker has not answered yet: then it is done when its turn comes. */
export type ChatRequest = {
  submitted: string;
  isDone: boolean;
  /** It was so already. */
  unchanged?: string;
};

const PATIENCE_MS = 15_000;

/** Changes something as all commands do (kit/cli/carry-out.ts), behind what was asked for before. A refusal is thrown. */
export async function requestChat(
  call: Pick<Call, 'home' | 'signal'> & Partial<Pick<Call, 'rooms'>>,
  intake: ChatIntake,
): Promise<ChatRequest> {
  const submitted = chatRequestId();
  const asking = { ...call, notify: () => undefined, answerMs: PATIENCE_MS, requestId: submitted };
  const answered = await askOrDo(asking, intake, () => doBehindOthers(asking, intake));
  const unchanged = typeof answered === 'object' ? unchangedIn(answered.done) : null;
  return { submitted, isDone: typeof answered === 'object', ...(unchanged !== null && { unchanged }) };
}

/** Messages may wait in the folder for a worker: this process takes all of it, in order. */
async function doBehindOthers(
  { home, signal, rooms, notify, requestId: id }: AskingCall & { requestId: string },
  intake: ChatIntake,
): Promise<{ done: Json } | 'pending'> {
  const replies = repliesFolder(home.oka);
  const replied = (): ReturnType<typeof awaitReply> => awaitReply(replies, id, PATIENCE_MS, signal);
  wantReply(replies, id);
  submitChat(home, intake, id);
  try {
    return doneOf(await withHost(home, signal, replied, { rooms, warn: notify }));
  } catch (error) {
    const isHeld = error instanceof OkaError && error.code === 'pen-held';
    if (withdrawRequest(join(home.oka, 'intake'), id) || !isHeld) throw error;
    return doneOf(await replied()); // another process had it by then
  }
}

function doneOf(reply: Awaited<ReturnType<typeof awaitReply>>): { done: Json } | 'pending' {
  if (reply === null || 'done' in reply) return reply ?? 'pending';
  const { code, message, fix } = reply.refused;
  throw new OkaError(code, message, fix === undefined ? {} : { fix });
}

/** What a person reads about a request that is not done yet; nothing when it is. */
export const describePending = ({ isDone }: Pick<ChatRequest, 'isDone'>): string =>
  isDone ? '' : 'The worker has not answered yet; it does it when its turn comes.\n';

/** The id of a message of a person, which is durable then. */
export async function postMessage(home: Home, conversation: NamedChat, text: string): Promise<string> {
  const message = newChatId();
  submitChat(home, { kind: 'chat_post', conversation: conversation.id, message, ...(await messageBody(home, text)) });
  return message;
}

/** A long text is stored as an artifact, and the message has its beginning. */
async function messageBody(home: Home, text: string): Promise<Pick<PostIntake, 'content' | 'body'>> {
  if (text.length <= LONGEST_CONTENT) return { content: text };
  const vault = await openHomeVault(home);
  await vault.refresh();
  const body = await openArtifacts(join(home.oka, 'artifacts'), vault.redact).put(text, { name: 'message.txt' });
  return { content: text.slice(0, LONGEST_CONTENT).toWellFormed(), body };
}

type PostIntake = Extract<ChatIntake, { kind: 'chat_post' }>;

export function readConversations(call: ChatCall): Promise<ConversationEntry[]> {
  return readChats(call, listConversations);
}

export async function findChat(call: ChatCall, given: string): Promise<NamedChat> {
  const all = await readConversations(call);
  const found = all.find(({ id, name }) => name === given || id === given);
  if (found !== undefined) return { id: found.id, name: found.name };
  const near = nearestWord(
    given,
    all.map(({ name }) => name),
  );
  throw new OkaError(
    'usage',
    `there is no conversation "${given}"${near === null ? '' : `; did you mean "${near}"?`}`,
    {
      fix: `List them: oka chat. Begin it: oka chat new ${given}`,
    },
  );
}

/** Conversations by name or by a pattern such as "team-*"; all of them with `isAll`. */
export async function matchChats(
  call: ChatCall,
  given: readonly string[],
  isAll: boolean,
): Promise<readonly NamedChat[]> {
  if (isAll === given.length > 0)
    throw new OkaError('usage', isAll ? '--all needs no name' : 'say which conversation', {
      fix: 'Names, patterns such as "team-*", or --all.',
    });
  const all = await readConversations(call);
  if (isAll) return all;
  const found = given.map((each) => {
    const isMatch = nameMatcher(each);
    const matching = all.filter(({ id, name }) => isMatch(name) || id === each);
    return { each, matching };
  });
  const missing = found.find(({ matching }) => matching.length === 0);
  if (missing !== undefined && !/[*?]/.test(missing.each)) await findChat(call, missing.each);
  if (missing !== undefined) throw new OkaError('usage', `no conversation matches "${missing.each}"`);
  return [...new Map(found.flatMap(({ matching }) => matching).map((chat) => [chat.id, chat])).values()];
}

function nameMatcher(pattern: string): (name: string) => boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const compiled = new RegExp(`^${escaped.replaceAll(/\*+/g, '[^]*').replaceAll('?', '[^]')}$`, 'u');
  return (name) => compiled.test(name);
}

export function parseChatName(given: string): string {
  const parsed = ConversationName.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new OkaError('usage', `"${given}" is no name of a conversation`, {
    fix: 'Use letters, digits, dots, dashes and underscores, such as trip-to-graz.',
  });
}
