/**
 * Owns: conversations and messages that are on disk as requests, shown as the worker will record them. Whom a message asks
 * is the worker's to find; a request that it would refuse is not shown.
 */
import { checkEvent, type Event, type NewEvent } from '../../../core/schema/event.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { readRequests } from '../../../kit/requests/read-requests.ts';
import { newChatId, timeOfChatId } from '../model/chat-ids.ts';
import { eventsForRequest } from '../model/chat-requests.ts';
import { type ConversationRow, storedMessage } from '../model/chat-rows.ts';
import { type ChatIntake, chatProjection, type ChatState, isChatIntake } from '../model/chat-state.ts';
import { chatView } from '../model/chat-view.ts';

/** Reads the requests at once; what it returns puts them into rows that are not written to a file. */
export function submittedChats(folder: string): (rows: Rows) => void {
  const intakes = readRequests(folder).flatMap((taken) =>
    'intake' in taken && isChatIntake(taken.intake) ? [taken.intake] : [],
  );
  return (rows) => {
    for (const intake of intakes) for (const event of shownEvents(rows, intake)) take(rows, event);
  };
}

const take = (rows: Rows, event: NewEvent): void => {
  const ms = event.type === 'message.posted' ? timeOfChatId(event.data.message) : Date.now();
  const at = new Date(ms).toISOString();
  chatView.take({ event: { ...checkEvent(event), at, seq: 0, pen: 'run' } as Event, text: () => null }, rows);
};

function shownEvents(rows: Rows, intake: ChatIntake): NewEvent[] {
  try {
    const events = eventsForRequest(stateOf(rows), intake, { known: [], newId: newChatId });
    return events.filter(({ type, data }) => type !== 'message.posted' || data.kind === 'person');
  } catch (error) {
    if (error instanceof OkaError) return [];
    throw error;
  }
}

/** As far as a request is about it. */
function stateOf(rows: Rows): ChatState {
  const state = chatProjection.initial();
  for (const [, row] of rows.each<ConversationRow>('chat/conv/')) {
    const { id, name, isPaused, ttl, members, messages } = row;
    const last = row.last === null ? null : (storedMessage(rows, id, row.last)?.id ?? null);
    state.conversations[id] = { id, name, isPaused, ttl, members, messages, last };
    state.names[name] = id;
  }
  return state;
}
