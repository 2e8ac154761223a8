/** How one fact changes: the only rules by which anybody folds events about facts. Pure. */
import { type FactGiven, Forgotten } from '../schema/memory.ts';

export type WhyForgotten = ReturnType<typeof Forgotten.parse>;
export type KnownFact = Omit<FactGiven, 'supersedes'>;

export type FactState =
  | { kind: 'valid' }
  | { kind: 'superseded'; by: string }
  | { kind: 'forgotten'; why: WhyForgotten };

export type FactRow = {
  /** As it was given. */
  fact: KnownFact;
  /** The same in the words of a model, where there are such. */
  reworded: string | null;
  state: FactState;
  /** When it came to this state. */
  since: string;
};

/** A fact that is kept is valid, whatever it was before. Better words stay while the text stays. */
export function keepFact(before: FactRow | undefined, given: FactGiven, at: string): FactRow {
  const { supersedes: _, ...fact } = given;
  const reworded = before?.fact.text === fact.text ? before.reworded : null;
  return { fact, reworded, state: { kind: 'valid' }, since: at };
}

/** A fact that was forgotten stays forgotten when another one takes its place. */
export function endFact<Row extends FactRow>(row: Row, state: Exclude<FactState, { kind: 'valid' }>, at: string): Row {
  return row.state.kind === 'forgotten' && state.kind === 'superseded' ? row : { ...row, state, since: at };
}

export function rewordFact<Row extends FactRow>(row: Row, text: string): Row {
  return { ...row, reworded: text === row.fact.text ? null : text };
}
