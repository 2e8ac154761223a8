/** Undoes a learned change: restores the previous facts unless something newer has replaced them. */
import type { Event } from '../../../core/schema/event.ts';
import type { FactGiven } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type Change, findChange, proposeChange } from './pending-changes.ts';
import { type StoredFact, findFact, isValid } from './fact-rows.ts';

/** The events that `oka memory undo` can undo. */
export const UNDOABLE = ['fact.kept', 'fact.forgotten', 'fact.reworded'] as const satisfies readonly Event['type'][];

export function undoFactChange(rows: Rows, asked: { change: number; reason: string }, at: string): void {
  const change = findChange(rows, asked.change);
  if (change === undefined || change.isUndone) return;
  const reason = asked.reason === '' ? 'undone by a person' : asked.reason;
  proposeChange(rows, { type: 'change.undone', data: { change: asked.change, reason } }, at);
  const { event } = change;
  switch (event.type) {
    case 'fact.kept':
      return undoStoredFact(rows, change, event.data, at);
    case 'fact.forgotten':
      for (const found of change.before) if (!isValid(findFact(rows, found.fact.id))) restoreFact(rows, found, at);
      return;
    case 'fact.reworded': {
      const [was] = change.before;
      const now = findFact(rows, event.data.fact);
      if (was === undefined || !isValid(now)) return;
      const data = { fact: was.fact.id, text: was.reworded ?? was.fact.text, model: 'oka' };
      return proposeChange(rows, { type: 'fact.reworded', data }, at);
    }
    case 'change.undone':
  }
}

/** A fact that was superseded since is left as it is. */
function undoStoredFact(rows: Rows, { before }: Change, { id, supersedes }: FactGiven, at: string): void {
  if (!isValid(findFact(rows, id))) return;
  const was = before.find(({ fact }) => fact.id === id);
  const back = before.filter(({ fact }) => {
    const now = findFact(rows, fact.id);
    return supersedes.includes(fact.id) && now?.state.kind === 'superseded' && now.state.by === id;
  });
  if (was === undefined) proposeChange(rows, { type: 'fact.forgotten', data: { facts: [id], why: 'undone' } }, at);
  else restoreFact(rows, was, at);
  for (const found of back) restoreFact(rows, found, at);
}

/** A fact that has expired is restored without an expiry. */
function restoreFact(rows: Rows, { fact, subject }: StoredFact, at: string): void {
  const { expires, ...rest } = fact;
  const stays = expires !== undefined && Date.parse(expires) > Date.parse(at);
  const data: FactGiven = { ...rest, supersedes: [], ...(stays ? { expires } : {}) };
  proposeChange(rows, { type: 'fact.kept', run: fact.evidence.at(-1)?.run ?? null, data }, at, subject);
}
