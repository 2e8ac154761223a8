/** Owns: what a request about conversations changes, as events for one batch. Pure: the worker appends them. */
import { OkaError } from '../../../core/schema/errors.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import { USER } from '../../../core/schema/chat-names.ts';
import type { ChatIntake, ChatState, Conversation } from './chat-state.ts';
import { messageEvents, type PostingContext } from './post-message.ts';

type Request<K extends ChatIntake['kind']> = Extract<ChatIntake, { kind: K }>;

/** No event when there is nothing to change. Throws when the request is not possible. */
export function eventsForRequest(state: ChatState, intake: ChatIntake, context: PostingContext): NewEvent[] {
  switch (intake.kind) {
    case 'chat_open':
      return openEvents(state, intake);
    case 'chat_post':
      return postEvents(state, intake, context);
    case 'chat_pause':
      return switchEvents(state, intake, true);
    case 'chat_resume':
      return switchEvents(state, intake, false);
    case 'chat_delete': {
      const { id: conversation } = conversationNamed(state, intake.conversation);
      return [{ type: 'chat.deleted', data: { conversation, why: 'person', ...by(intake) } }];
    }
    case 'chat_change':
      return changeEvents(state, intake);
    case 'chat_stop':
      return stopEvents(state, intake);
    case 'chat_cleanup':
      return []; // which messages have expired is known to the view (rooms/chat)
  }
}

function conversationNamed(state: ChatState, named: string): Conversation {
  const found = state.conversations[state.names[named] ?? named];
  if (found !== undefined) return found;
  throw new OkaError('usage', `there is no conversation "${named}"`, { fix: 'List the conversations: oka chat' });
}

const by = ({ by: who }: ChatIntake): { by?: string } => (who === undefined ? {} : { by: who });

function assertFree(state: ChatState, name: string): void {
  if (state.names[name] !== undefined)
    throw new OkaError('usage', `there is a conversation "${name}" already`, {
      fix: `Enter it: oka chat join ${name}`,
    });
}

function openEvents(state: ChatState, intake: Request<'chat_open'>): NewEvent[] {
  const { conversation, name, ttl, memory, fork } = intake;
  if (state.conversations[conversation] !== undefined) return [];
  assertFree(state, name);
  const source =
    fork === undefined ? null : { conversation: conversationNamed(state, fork.conversation).id, at: fork.at ?? null };
  const extra = {
    ...(ttl === undefined ? {} : { ttl }),
    ...(memory === undefined ? {} : { memory }),
    ...(source === null ? {} : { fork: source }),
  };
  return [{ type: 'chat.opened', data: { conversation, name, ...extra, ...by(intake) } }];
}

function postEvents(state: ChatState, intake: Request<'chat_post'>, context: PostingContext): NewEvent[] {
  const { message, content, body } = intake;
  const conversation = conversationNamed(state, intake.conversation);
  if (state.recent.includes(message)) return [];
  const whole = body === undefined ? {} : { body };
  return messageEvents(
    conversation,
    { message, from: USER, kind: 'person', content, ...whole, depth: 0, chain: message, ...by(intake) },
    context,
  );
}

function switchEvents(
  state: ChatState,
  intake: Request<'chat_pause'> | Request<'chat_resume'>,
  isPaused: boolean,
): NewEvent[] {
  const named = intake.conversations ?? Object.keys(state.conversations);
  return named
    .map((each) => conversationNamed(state, each))
    .filter((each) => each.isPaused !== isPaused)
    .map(({ id: conversation }): NewEvent => {
      const data = { conversation, ...by(intake) };
      return isPaused ? { type: 'chat.paused', data } : { type: 'chat.resumed', data };
    });
}

function changeEvents(state: ChatState, intake: Request<'chat_change'>): NewEvent[] {
  const { name, pinned, pin, ttl, memory, clear } = intake;
  const { id: conversation, name: current, messages, last } = conversationNamed(state, intake.conversation);
  const isRenamed = name !== undefined && name !== current;
  if (isRenamed) assertFree(state, name);
  const change = {
    ...(isRenamed ? { name } : {}),
    ...(pinned === undefined ? {} : { pinned }),
    ...(pin === undefined ? {} : { pin }),
    ...(ttl === undefined ? {} : { ttl }),
    ...(memory === undefined ? {} : { memory }),
  };
  const isCleared = clear === true && messages > 0 && last !== null;
  return [
    ...(Object.keys(change).length === 0
      ? []
      : [{ type: 'chat.changed' as const, data: { conversation, ...change, ...by(intake) } }]),
    ...(isCleared
      ? [
          {
            type: 'chat.expired' as const,
            data: { conversation, until: last, messages, why: 'cleared' as const, ...by(intake) },
          },
        ]
      : []),
  ];
}

/** Replies that are queued; those in progress end with their runs, which the worker stops. */
function stopEvents(state: ChatState, intake: Request<'chat_stop'>): NewEvent[] {
  const { id } = conversationNamed(state, intake.conversation);
  return Object.values(state.notices)
    .filter(({ conversation, notice, run }) => conversation === id && run === null && isMeant(intake, notice))
    .map(({ notice, conversation }) => ({
      type: 'notice.dropped',
      data: { notice, conversation, reason: 'a person stopped it' },
    }));
}

export const isMeant = ({ notice }: Request<'chat_stop'>, each: string): boolean =>
  notice === undefined || notice === each;
