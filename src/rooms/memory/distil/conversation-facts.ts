/**
 * Owns: which facts come from which conversation. Nothing is learned while its memory is off, and what rests only on
 * messages that a person removes is forgotten with them. Messages that expire leave what was learned from them.
 */
import type { Rows } from '../../../core/schema/rows.ts';
import { handleByType } from '../event-handlers.ts';
import { isValid, type StoredFact } from './fact-rows.ts';
import { proposeChange } from './pending-changes.ts';

const offKey = (conversation: string): string => `facts/chat-off/${conversation}`;
const messageKey = (conversation: string, message: string): string => `facts/chat/${conversation}/${message}`;

export const isRemembered = (rows: Rows, conversation: string): boolean => rows.get(offKey(conversation)) === undefined;

/** Notes that something was learned from a message. */
export function noteSource(rows: Rows, { conversation, message }: Message, seq: number): void {
  rows.put(messageKey(conversation, message), seq);
}

type Message = { conversation: string; message: string };

export const applyConversationEvent = handleByType<[Rows], void>({
  'chat.opened': ({ data: { conversation, memory }, at }, rows) => switchMemory(rows, conversation, memory, at),
  'chat.changed': ({ data: { conversation, memory }, at }, rows) => switchMemory(rows, conversation, memory, at),
  'chat.expired': ({ data: { conversation, until, why }, at }, rows) =>
    forgetFacts(rows, why === 'cleared' ? dropSources(rows, conversation, until) : new Set(), at),
  'chat.deleted': ({ data: { conversation, why }, at }, rows) => {
    rows.put(offKey(conversation), null);
    const sources = dropSources(rows, conversation, LAST);
    if (why === 'person') forgetFacts(rows, sources, at);
  },
});

/** Behind every id of a message. */
const LAST = '~';

function switchMemory(rows: Rows, conversation: string, memory: 'on' | 'off' | undefined, at: string): void {
  if (memory === undefined) return;
  rows.put(offKey(conversation), memory === 'off' ? true : null);
  if (memory === 'off') forgetFacts(rows, dropSources(rows, conversation, LAST), at);
}

/** Returns the events of the messages up to this one that something was learned from. */
function dropSources(rows: Rows, conversation: string, until: string): Set<number> {
  const prefix = messageKey(conversation, '');
  const sources = [...rows.each<number>(prefix)].filter(([key]) => key.slice(prefix.length) <= until);
  for (const [key] of sources) rows.put(key, null);
  return new Set(sources.map(([, seq]) => seq));
}

/** Those that rest on these events alone: what was also said elsewhere stays. */
function forgetFacts(rows: Rows, sources: ReadonlySet<number>, at: string): void {
  if (sources.size === 0) return;
  const facts = [...rows.each<StoredFact>('facts/held/')].flatMap(([, found]) =>
    isValid(found) && found.fact.evidence.every(({ seq }) => sources.has(seq)) ? [found.fact.id] : [],
  );
  if (facts.length > 0) proposeChange(rows, { type: 'fact.forgotten', data: { facts, why: 'deleted' } }, at);
}
