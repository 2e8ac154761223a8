/** The operator's instructions and preferences, from both ledgers, and since when and until when each applied. */
import type { Rows } from '../../core/schema/rows.ts';
import type { StatedInstruction } from '../../kit/ports/memory-port.ts';
import { isInstruction } from './fact-state.ts';
import { storedFacts } from './fact-view.ts';
import { isOperatorsFact } from '../../kit/learning/index-item.ts';

/** One that was superseded is left out: what replaced it is in the list. */
export function listInstructions(rows: Rows, now: number): StatedInstruction[] {
  return Array.from(storedFacts(rows)).flatMap(({ fact, state, changed }) => {
    if (state.kind === 'superseded' || !isOperatorsFact(fact) || !isInstruction(fact)) return [];
    if (state.kind === 'valid' && fact.expires !== undefined && Date.parse(fact.expires) <= now) return [];
    const since = Math.min(...fact.evidence.map(({ seq }) => seq));
    return [{ text: fact.text, since, until: state.kind === 'forgotten' ? changed : null }];
  });
}
