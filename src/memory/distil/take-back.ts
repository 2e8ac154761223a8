/** Taking back what was learned: the facts are as they were before, as far as nothing newer stands in the way. */
import type { Event } from '../../schema/event.ts';
import type { FactGiven } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import { type Change, changeOf, propose } from './due.ts';
import { type Held, heldOf, isHeld } from './held.ts';

/** What `oka memory undo` can take back. */
export const UNDOABLE = ['fact.kept', 'fact.forgotten', 'fact.reworded'] as const satisfies readonly Event['type'][];

export function takeBack(book: Rows, asked: { change: number; reason: string }, at: string): void {
  const change = changeOf(book, asked.change);
  if (change === undefined || change.isUndone) return;
  const reason = asked.reason === '' ? 'a person took it back' : asked.reason;
  propose(book, { type: 'change.undone', data: { change: asked.change, reason } }, at);
  const { event } = change;
  switch (event.type) {
    case 'fact.kept':
      return unkeep(book, change, event.data, at);
    case 'fact.forgotten':
      for (const held of change.before) if (!isHeld(heldOf(book, held.fact.id))) restore(book, held, at);
      return;
    case 'fact.reworded': {
      const [was] = change.before;
      const now = heldOf(book, event.data.fact);
      if (was === undefined || !isHeld(now)) return;
      const data = { fact: was.fact.id, text: was.reworded ?? was.fact.text, model: 'oka' };
      return propose(book, { type: 'fact.reworded', data }, at);
    }
    case 'change.undone':
  }
}

/** A fact that something newer has replaced since is history already. */
function unkeep(book: Rows, { before }: Change, { id, supersedes }: FactGiven, at: string): void {
  if (!isHeld(heldOf(book, id))) return;
  const was = before.find(({ fact }) => fact.id === id);
  const back = before.filter(({ fact }) => {
    const now = heldOf(book, fact.id);
    return supersedes.includes(fact.id) && now?.state.kind === 'superseded' && now.state.by === id;
  });
  if (was === undefined) propose(book, { type: 'fact.forgotten', data: { facts: [id], why: 'undone' } }, at);
  else restore(book, was, at);
  for (const held of back) restore(book, held, at);
}

/** What was over by time comes back without an end. */
function restore(book: Rows, { fact, subject }: Held, at: string): void {
  const { expires, ...rest } = fact;
  const stays = expires !== undefined && Date.parse(expires) > Date.parse(at);
  const data: FactGiven = { ...rest, supersedes: [], ...(stays ? { expires } : {}) };
  propose(book, { type: 'fact.kept', run: fact.evidence.at(-1)?.run ?? null, data }, at, subject);
}
