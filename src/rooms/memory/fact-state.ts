/** How one fact changes: the only rules for folding events about facts. Pure. */
import { type Fact, type FactGiven, Forgotten, STANDING } from '../../core/schema/memory.ts';
import { kindOfFact } from './distil/fact-finding.ts';

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

/**
 * A forgotten fact stays forgotten when another one supersedes it. The words of one that a person removed are erased; that it
 * was an instruction stays known, because of what was learned under it.
 */
export function endFact<Row extends FactRow>(row: Row, state: Exclude<FactState, { kind: 'valid' }>, at: string): Row {
  if (row.state.kind === 'forgotten' && state.kind === 'superseded') return row;
  const isErased = state.kind === 'forgotten' && state.why === 'deleted';
  return isErased
    ? {
        ...row,
        fact: { ...row.fact, text: '', namespace: isInstruction(row.fact) ? STANDING : row.fact.namespace },
        reworded: null,
        state,
        since: at,
      }
    : { ...row, state, since: at };
}

export function rewordFact<Row extends FactRow>(row: Row, text: string): Row {
  return { ...row, reworded: text === row.fact.text ? null : text };
}

/** By its id when it was learned, and by its first word when a person stored it. */
export const isInstruction = ({ id, namespace, text }: Pick<Fact, 'id' | 'namespace' | 'text'>): boolean =>
  namespace === STANDING ||
  kindOfFact(id) === 'preference' ||
  /^(?:always|never|prefer|use|avoid|do not|don['’]t)\b/i.test(text);
