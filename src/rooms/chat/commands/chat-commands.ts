/** Conversations: talking with the assistant, and agents talking with each other. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, count, flag, parsedText, text } from '../../../kit/cli/options.ts';
import { parseDuration } from '../../../kit/cli/option-values.ts';

const ttl = parsedText('TIME', 'Messages expire after this long, such as 12h or 30d.', parseDuration);
const yes = flag('Do not ask.');

export const chat: Readonly<Record<string, Command>> = {
  ask: command({
    summary: 'Ask one question; the answer is printed as it is written',
    operands: '<question>',
    options: { agent: text('NAME', 'Who answers; oka unless given.') },
    json: true,
    example: 'oka ask "What is due this week?"',
    load: () => import('./ask-command.ts'),
  }),
  chat: command({
    summary: 'List the conversations',
    json: true,
    example: 'oka chat',
    load: () => import('./chat-list.ts'),
  }),
  'chat new': command({
    summary: 'Begin a conversation, and enter it',
    operands: '[name]',
    options: {
      ttl,
      memory: choice(['on', 'off'], 'on|off', 'Whether oka remembers what is said in it; on unless given.'),
    },
    example: 'oka chat new trip',
    load: () => import('./chat-new.ts'),
  }),
  'chat join': command({
    summary: 'Enter a conversation; through a pipe, each line is a message',
    operands: '<conversation>',
    example: 'oka chat join trip',
    load: () => import('./chat-join.ts'),
  }),
  'chat open': command({
    summary: 'The same as chat join',
    operands: '<conversation>',
    example: 'oka chat open trip',
    load: () => import('./chat-join.ts'),
  }),
  'chat send': command({
    summary: 'Post a message and go on; prints its id. - reads it from a pipe',
    operands: '<conversation> <message>',
    options: { wait: flag('Wait for the answers, and print them.') },
    json: true,
    example: 'oka chat send trip "@arya where do we stay?"',
    load: () => import('./chat-send.ts'),
  }),
  'chat view': command({
    summary: 'Print messages, one a line: id|timestamp|from|content',
    operands: '<conversation>',
    options: {
      limit: count('N', 'The last N messages; with --since the first N behind it.'),
      since: text('ID', 'Only messages behind this one.'),
      follow: flag('Go on with new messages as they come.'),
    },
    json: true,
    example: 'oka chat view trip --limit 20',
    load: () => import('./chat-view-command.ts'),
  }),
  'chat search': command({
    summary: 'Find messages that have all of these words',
    operands: '<words>',
    options: {
      in: text('CONVERSATION', 'Only in this conversation.'),
      limit: count('N', 'At most this many; 50 unless given.'),
    },
    json: true,
    example: 'oka chat search hotel graz',
    load: () => import('./chat-search.ts'),
  }),
  'chat stop': command({
    summary: 'Stop the replies of a conversation that are in progress or queued',
    operands: '<conversation>',
    json: true,
    example: 'oka chat stop trip',
    load: () => import('./chat-stop.ts'),
  }),
  'chat pause': command({
    summary: 'Pause conversations: replies are queued, and no tool call starts',
    operands: '[conversation…]',
    options: { all: flag('All conversations.') },
    json: true,
    example: 'oka chat pause "team-*"',
    load: () => import('./chat-pause.ts'),
  }),
  'chat resume': command({
    summary: 'Resume paused conversations; what was queued is answered in order',
    operands: '[conversation…]',
    options: { all: flag('All conversations.') },
    json: true,
    example: 'oka chat resume --all',
    load: () => import('./chat-resume.ts'),
  }),
  'chat rename': command({
    summary: 'Rename a conversation',
    operands: '<conversation> <name>',
    json: true,
    example: 'oka chat rename trip trip-to-graz',
    load: () => import('./chat-rename.ts'),
  }),
  'chat pin': command({
    summary: 'Show a conversation first in lists',
    operands: '<conversation>',
    json: true,
    example: 'oka chat pin trip',
    load: () => import('./chat-pin.ts'),
  }),
  'chat unpin': command({
    summary: 'Undo chat pin',
    operands: '<conversation>',
    json: true,
    example: 'oka chat unpin trip',
    load: () => import('./chat-unpin.ts'),
  }),
  'chat fork': command({
    summary: 'Begin a conversation with the messages of another one',
    operands: '<conversation> [name]',
    options: { at: text('ID', 'The last message that is copied; all unless given.') },
    json: true,
    example: 'oka chat fork trip trip-by-train',
    load: () => import('./chat-fork.ts'),
  }),
  'chat ttl': command({
    summary: 'Set after how long the messages of a conversation expire',
    operands: '<conversation> <time>',
    json: true,
    example: 'oka chat ttl trip 30d',
    load: () => import('./chat-ttl.ts'),
  }),
  'chat memory': command({
    summary: 'Have oka remember a conversation, or not; off forgets what it remembers of it',
    operands: '<conversation> on|off',
    json: true,
    example: 'oka chat memory trip off',
    load: () => import('./chat-memory.ts'),
  }),
  'chat clear': command({
    summary: 'Remove all messages of a conversation',
    operands: '<conversation>',
    options: { yes },
    json: true,
    example: 'oka chat clear trip --yes',
    load: () => import('./chat-clear.ts'),
  }),
  'chat delete': command({
    summary: 'Delete conversations, by name or pattern',
    operands: '<conversation…>',
    options: { yes },
    json: true,
    example: 'oka chat delete trip --yes',
    load: () => import('./chat-delete.ts'),
  }),
  'chat cleanup': command({
    summary: 'Remove expired messages, and conversations without any',
    options: { 'dry-run': flag('Only say what would be removed.') },
    json: true,
    example: 'oka chat cleanup --dry-run',
    load: () => import('./chat-cleanup.ts'),
  }),
};
