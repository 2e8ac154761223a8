/** Changes of conversations. */
import {
  type ChatRequest,
  describePending,
  findChat,
  matchChats,
  parseChatName,
  requestChat,
} from '../terminal/chat-access.ts';
import {
  changeChat,
  type ChangedChats,
  changedJson,
  isRemovalConfirmed,
  notChanged,
  renderChanged,
  switchChats,
} from '../terminal/change-chat.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { newChatId } from '../model/chat-ids.ts';
import { MessageId } from '../../../core/schema/chat.ts';
import { parseDuration } from '../../../kit/cli/option-values.ts';
import { expiredIn } from '../model/expired-messages.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { readChats } from '../terminal/read-chats.ts';
import { requireMessage } from '../model/chat-queries.ts';
import { flag, text } from '../../../kit/cli/options.ts';

const yes = flag('Do not ask.');

type Removed = { conversation: string; messages: number; deleted: boolean };

type Kept = { conversation: string; why: string };

type CleanupData = { dry_run: boolean; removed: Removed[]; kept: Kept[] } & Partial<ChatRequest>;

export const commands: Commands = {
  'chat stop': command({
    summary: 'Stop the replies of a conversation that are in progress or queued',
    operands: '<conversation>',
    example: 'oka chat stop trip',
    run: async (call) => {
      const { id, name } = await findChat(call, onlyOperand(call, 'conversation'));
      const asked = await requestChat(call, { kind: 'chat_stop', conversation: id, by: operatorName() });
      return answer({ ...asked, conversations: [name], what: `Stopped the replies in ${name}` });
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat pause': command({
    summary: 'Pause conversations: replies are queued, and no tool call starts',
    operands: '[conversation…]',
    options: { all: flag('All conversations.') },
    example: 'oka chat pause "team-*"',
    run: (call) => switchChats(call, true),
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat resume': command({
    summary: 'Resume paused conversations; what was queued is answered in order',
    operands: '[conversation…]',
    options: { all: flag('All conversations.') },
    example: 'oka chat resume --all',
    run: (call) => switchChats(call, false),
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat rename': command({
    summary: 'Rename a conversation',
    operands: '<conversation> <name>',
    example: 'oka chat rename trip trip-to-graz',
    run: async (call) => {
      const [named, given, ...more] = call.operands;
      if (named === undefined || given === undefined || more.length > 0)
        throw new OkaError('usage', 'say which conversation, and its new name');
      const next = parseChatName(given);
      return changeChat(call, named, { name: next }, (name) => `${name} is now called ${next}`);
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat pin': command({
    summary:
      'Show a conversation first in lists; or keep a message of it: it does not expire, and agents always see it',
    operands: '<conversation> [message]',
    example: 'oka chat pin trip 0mg3k1x2a00b',
    run: (call) => pin(call, true),
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat unpin': command({
    summary: 'Undo chat pin',
    operands: '<conversation> [message]',
    example: 'oka chat unpin trip',
    run: (call) => pin(call, false),
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat fork': command({
    summary: 'Begin a conversation with the messages of another one',
    operands: '<conversation> [name]',
    options: { at: text('ID', 'The last message that is copied; all unless given.') },
    example: 'oka chat fork trip trip-by-train',
    run: async (call) => {
      const [named, given, ...more] = call.operands;
      if (named === undefined || more.length > 0)
        throw new OkaError('usage', 'say which conversation, and the name of the new one');
      const { id, name } = await findChat(call, named);
      const fork = parseChatName(given ?? `${name}-fork`);
      const { at } = call.options;
      if (at !== undefined && !MessageId.safeParse(at).success)
        throw new OkaError('usage', `--at: "${at}" is no id of a message`);
      const asked = await requestChat(call, {
        kind: 'chat_open',
        conversation: newChatId(),
        name: fork,
        fork: { conversation: id, ...(at === undefined ? {} : { at }) },
        by: operatorName(),
      });
      return answer({ ...asked, conversations: [fork], what: `Began ${fork} with the messages of ${name}` });
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat ttl': command({
    summary: 'Set after how long the messages of a conversation expire',
    operands: '<conversation> <time>',
    example: 'oka chat ttl trip 30d',
    run: async (call) => {
      const [named, given, ...more] = call.operands;
      if (named === undefined || given === undefined || more.length > 0)
        throw new OkaError('usage', 'say which conversation, and after how long its messages expire', {
          fix: 'Such as: oka chat ttl trip 30d, or: oka chat ttl trip never',
        });
      const ttl = given === 'never' ? null : parseDuration(given, 'time') / 1000;
      return changeChat(call, named, { ttl }, (name) =>
        ttl === null
          ? `Messages of ${name} stay`
          : `Messages of ${name} expire after ${given}; oka chat cleanup removes them`,
      );
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat memory': command({
    summary: 'Have oka remember a conversation, or not; off forgets what it remembers of it',
    operands: '<conversation> on|off',
    example: 'oka chat memory trip off',
    run: async (call) => {
      const [named, memory, ...more] = call.operands;
      if (named === undefined || (memory !== 'on' && memory !== 'off') || more.length > 0)
        throw new OkaError('usage', 'say which conversation, and on or off', {
          fix: 'Such as: oka chat memory trip off',
        });
      return changeChat(call, named, { memory }, (name) =>
        memory === 'on'
          ? `oka remembers what is said in ${name} from now on`
          : `oka remembers nothing of ${name}; what it had learned there is forgotten`,
      );
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat clear': command({
    summary: 'Remove all messages of a conversation',
    operands: '<conversation>',
    options: { yes },
    example: 'oka chat clear trip --yes',
    run: async (call) => {
      const chat = await findChat(call, onlyOperand(call, 'conversation'));
      if (!(await isRemovalConfirmed(call, `Remove all messages of ${chat.name}`))) return notChanged([chat]);
      return changeChat(call, chat.id, { clear: true }, (name) => `Removed all messages of ${name}`);
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat delete': command({
    summary: 'Delete conversations, by name or pattern',
    operands: '<conversation…>',
    options: { yes },
    example: 'oka chat delete trip --yes',
    run: async (call): Promise<Answer<ChangedChats>> => {
      const chats = await matchChats(call, call.operands, false);
      const names = chats.map(({ name }) => name).join(', ');
      if (!(await isRemovalConfirmed(call, `Delete ${names}`))) return notChanged(chats);
      const asked = [];
      for (const { id } of chats)
        asked.push(await requestChat(call, { kind: 'chat_delete', conversation: id, by: operatorName() }));
      return answer({
        submitted: asked.map(({ submitted }) => submitted).join(' '),
        isDone: asked.every(({ isDone }) => isDone),
        conversations: chats.map(({ name }) => name),
        what: `Deleted ${names}`,
      });
    },
    render: renderChanged,
    jsonLines: changedJson,
  }),
  'chat cleanup': command({
    summary: 'Remove expired messages, and conversations without any',
    options: { 'dry-run': flag('Only say what would be removed.') },
    example: 'oka chat cleanup --dry-run',
    run: async (call: Call<{ dryRun: boolean }>): Promise<Answer<CleanupData>> => {
      const { dryRun } = call.options;
      const now = Date.now();
      const { removed, kept } = await findRemovable(call, now);
      if (dryRun || removed.length === 0) return answer({ dry_run: dryRun, removed, kept });
      const before = new Date(now).toISOString();
      const asked = await requestChat(call, { kind: 'chat_cleanup', before, by: operatorName() });
      return answer({ dry_run: false, removed, kept, ...asked });
    },
    render: ({ dry_run, removed, kept, isDone = true }: CleanupData): string => {
      const stays = kept
        .map(({ conversation, why }) => `Kept, although it is empty: ${conversation}, since ${why}.\n`)
        .join('');
      if (removed.length === 0)
        return `Nothing has expired${kept.length === 0 ? ', and no conversation is empty' : ''}.\n${stays}`;
      const lines = removed.map(
        ({ conversation, messages, deleted }) =>
          `${conversation}: ${[...(messages === 0 ? [] : [count(messages, 'expired message')]), ...(deleted ? ['the conversation itself'] : [])].join(', ')}`,
      );
      const head = dry_run ? 'This would be removed:' : 'Removed:';
      return `${[head, ...lines].join('\n')}\n${stays}${describePending({ isDone })}`;
    },
    jsonLines: ({ dry_run, removed, kept, submitted, isDone }: CleanupData): object[] => [
      { dry_run, removed, kept, ...(submitted === undefined ? {} : { submitted, done: isDone }) },
    ],
  }),
};

/** By the same rule as the worker's, who decides. */
async function findRemovable(
  call: Call<{ dryRun: boolean }>,
  now: number,
): Promise<{ removed: Removed[]; kept: Kept[] }> {
  const found = await readChats(call, (rows) => expiredIn(rows, now));
  return {
    removed: found
      .filter(({ messages, isEmpty }) => messages > 0 || isEmpty)
      .map(({ name, messages, isEmpty }) => ({ conversation: name, messages, deleted: isEmpty })),
    kept: found.flatMap(({ name, kept }) => (kept === null ? [] : [{ conversation: name, why: kept }])),
  };
}

/** A conversation, or one message of it. */
async function pin(call: Call, pinned: boolean): ReturnType<typeof changeChat> {
  const [named, message, ...more] = call.operands;
  if (named === undefined || more.length > 0)
    throw new OkaError('usage', 'say which conversation, or which one and which message of it', {
      fix: 'Ids are the first column of: oka chat view <conversation>',
    });
  if (message === undefined)
    return changeChat(call, named, { pinned }, (name) =>
      pinned ? `${name} comes first in lists` : `${name} is no longer pinned`,
    );
  const { id } = await findChat(call, named);
  await readChats(call, (rows) => requireMessage(rows, id, message));
  return changeChat(call, id, { pin: { message, pinned } }, (name) =>
    pinned
      ? `Message ${message} of ${name} stays when others expire, and agents always see it`
      : `Message ${message} of ${name} is no longer pinned`,
  );
}
