/**
 * Owns: writing about conversations: one batch after the other, each decided by a state that includes the one before.
 *
 * 1. What a decision leads to is one batch, so that a message and its notices are there together or not at all.
 * 2. A run of a reply begins in a turn as well: whoever stops replies or deletes a conversation sees it begun, or not.
 */
import { chatProjection, type ChatState } from './model/chat-state.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { LedgerPort, ProjectionsPort } from '../../kit/ports/port-types.ts';
import { oneAtATime } from '../../kit/pause.ts';

export type ChatWriter = {
  /** The state of what is durable. */
  state: () => ChatState;
  /** Appends what `decide` returns, in its turn; resolves with it once it is durable. */
  write: (decide: (state: ChatState) => NewEvent[]) => Promise<NewEvent[]>;
  /** Does `act` in its turn; what it appends goes through `append`. */
  inTurn: <T>(act: (state: ChatState, append: (events: NewEvent[]) => Promise<unknown>) => Promise<T>) => Promise<T>;
};

export function chatWriter(ledger: Pick<LedgerPort, 'append'>, projections: ProjectionsPort): ChatWriter {
  const turns = oneAtATime();
  const state = (): ChatState => projections.stateOf(chatProjection);
  const inTurn: ChatWriter['inTurn'] = (act) => turns(() => act(state(), (events) => ledger.append(events)));
  return {
    state,
    inTurn,
    write: (decide) =>
      inTurn(async (current, append) => {
        const events = decide(current);
        if (events.length > 0) await append(events);
        return events;
      }),
  };
}
