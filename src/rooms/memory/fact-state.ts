/** How one fact changes: the only rules for folding events about facts. Pure. */
import { type FactGiven, Forgotten } from '../../core/schema/memory.ts';

export type WhyForgotten = ReturnType<typeof Forgotten.parse>;
export type KnownFact = Omit<FactGiven, 'supersedes'>;

export type FactState =
  | { kind: 'valid' }
  | { kind: 'superseded'; by: string }
  | { kind: 'forgotten'; why: WhyForgotten };

export type FactRow = {
  /** As it was stored, in its original words. */
  fact: KnownFact;
  /** The same, reworded by a model; null if it was not. */
  reworded: string | null;
  state: FactState;
  /** Since when it has been in this state. */
  since: string;
};

/** A fact that is stored is valid, whatever it was before. A rewording stays while the text does. */
export function applyFact(before: FactRow | undefined, given: FactGiven, at: string): FactRow {
  const { supersedes: _, ...fact } = given;
  const reworded = before?.fact.text === fact.text ? before.reworded : null;
  return { fact, reworded, state: { kind: 'valid' }, since: at };
}

/** A forgotten fact stays forgotten when another one supersedes it. The words of one that a person removed are erased. */
export function endFact<Row extends FactRow>(row: Row, state: Exclude<FactState, { kind: 'valid' }>, at: string): Row {
  if (row.state.kind === 'forgotten' && state.kind === 'superseded') return row;
  const isErased = state.kind === 'forgotten' && state.why === 'deleted';
  return isErased
    ? { ...row, fact: { ...row.fact, text: '' }, reworded: null, state, since: at }
    : { ...row, state, since: at };
}

export function rewordFact<Row extends FactRow>(row: Row, text: string): Row {
  return { ...row, reworded: text === row.fact.text ? null : text };
}
