/**
 * Owns: how conversations become entries of the memory index.
 *
 * 1. A message of a person is the person's, one of an agent is the agent's; what oka reports about a conversation is
 *    nobody's. An answer that the person objects to is removed.
 * 2. What is gone from a conversation is gone from memory: deleted, cleared or expired. Nothing is remembered of one whose
 *    memory is off.
 */
import type { Event } from '../../../core/schema/event.ts';
import { dateInWords } from '../../../kit/text/terms.ts';
import {
  describeEvent,
  type IndexedContent,
  sittingOf,
  splitIntoEntries,
  type TemporaryValues,
} from './entry-parts.ts';

/** The namespace of messages. Threads of imports begin with their namespace, and those of messages with a mark. */
const CHAT = 'chat';
const THREAD = '#';

/** Whether an item is a message of a conversation of this home. */
export const isMessage = ({ namespace, thread }: { namespace: string; thread: string }): boolean =>
  namespace === CHAT && thread.startsWith(THREAD);

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
/** What is noted of a conversation. */
type Note = { name: string; isOff?: boolean; reply?: string };

const readNote = (conversation: string, values: TemporaryValues): Note =>
  JSON.parse(values.get(`chat ${conversation}`) ?? '{"name":""}') as Note;

const writeNote = (conversation: string, note: Note, values: TemporaryValues): void =>
  values.put(`chat ${conversation}`, JSON.stringify(note));

const keyOf = (conversation: string, message: string): string => `chat ${conversation} ${message}`;
/** Ids of messages grow, and nothing in a key comes behind the last letter of them. */
const keysUntil = (conversation: string, message: string): { from: string; to: string } => ({
  from: keyOf(conversation, ''),
  to: `${keyOf(conversation, message)}~`,
});

export const conversationExtractors = {
  'chat.opened': noteConversation,
  'chat.changed': noteConversation,
  'message.posted': extractMessage,
  'chat.expired': ({ data: { conversation, until } }: Of<'chat.expired'>): IndexedContent => ({
    entries: [],
    removes: keysUntil(conversation, until),
  }),
  'chat.deleted': ({ data: { conversation } }: Of<'chat.deleted'>, values: TemporaryValues): IndexedContent => {
    values.put(`chat ${conversation}`, null);
    values.put(`talk ${THREAD}${conversation}`, null);
    return { entries: [], removes: keysUntil(conversation, '') };
  },
};

function noteConversation({ data }: Of<'chat.opened'> | Of<'chat.changed'>, values: TemporaryValues): IndexedContent {
  const { conversation, name, memory } = data;
  const known = readNote(conversation, values);
  const isOff = memory === undefined ? known.isOff === true : memory === 'off';
  writeNote(conversation, { ...known, name: name ?? known.name, isOff }, values);
  return { entries: [], ...(isOff ? { removes: keysUntil(conversation, '') } : {}) };
}

function extractMessage(event: Of<'message.posted'>, values: TemporaryValues): IndexedContent {
  const { conversation, message, kind, from, content, body, status = 'done' } = event.data;
  const note = readNote(conversation, values);
  if (note.isOff === true || kind === 'system' || status !== 'done' || content.trim() === '') return { entries: [] };
  const [isPerson, key] = [kind === 'person', keyOf(conversation, message)];
  const who = isPerson ? 'person' : from;
  const entry = {
    ...describeEvent(event, isPerson ? 'said' : 'replied', who, values),
    key,
    id: message,
    namespace: CHAT,
    thread: `${THREAD}${conversation} ${sittingOf(`${THREAD}${conversation}`, event.at, values)}`,
    context: `${who} ${dateInWords(event.at)} ${note.name}`,
  };
  const { reply, ...rest } = note;
  writeNote(conversation, isPerson ? rest : { ...note, reply: key }, values);
  const isRefused = isPerson && reply !== undefined && OBJECTS.test(content);
  return {
    ...(body === undefined
      ? { entries: splitIntoEntries(entry, content) }
      : { entries: [], body: { sha256: body.sha256, entry } }),
    ...(isRefused ? { removes: { from: reply, to: `${reply}~` } } : {}),
  };
}

/** How people object to the answer before. */
const OBJECTS =
  /^\s*(?:@[\w-]+[\s,:]+)*(?:(?:no|nope|nein|non|not (?:true|right|correct|so)|wrong|falsch|faux|incorrect|incorrecto|mal)(?=[\s,.!:;-]|$)|(?:that|this|it)(?:['’]s| is| was) (?:not (?:true|right|correct|what)|wrong|incorrect|false)|(?:das )?(?:stimmt|ist) (?:so )?(?:nicht|falsch)|das war falsch|c['’]est (?:faux|pas (?:vrai|ça|juste))|(?:eso )?(?:no es (?:cierto|verdad|correcto|así)|está mal|es falso))/iu;
