/**
 * Owns: writing about conversations: one batch after the other, each decided by a state that includes the one before.
 *
 * 1. What a decision leads to is one batch, so that a message and its notices are there together or not at all.
 */
import { chatProjection, type ChatState } from '../../chat/chat-state.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { LedgerPort, ProjectionsPort } from '../port-types.ts';

export type ChatWriter = {
  /** The state of what is durable. */
  state: () => ChatState;
  /** Appends what `decide` returns, in its turn; resolves with it once it is durable. */
  write: (decide: (state: ChatState) => NewEvent[]) => Promise<NewEvent[]>;
};

export function chatWriter(ledger: Pick<LedgerPort, 'append'>, projections: ProjectionsPort): ChatWriter {
  let turn: Promise<unknown> = Promise.resolve();
  const state = (): ChatState => projections.stateOf(chatProjection);
  return {
    state,
    write: (decide) => {
      const written = turn.then(async () => {
        const events = decide(state());
        if (events.length > 0) await ledger.append(events);
        return events;
      });
      turn = written.catch(() => undefined);
      return written;
    },
  };
}
