/**
 * Owns: the word of a person for what nobody else could look at.
 *
 * The word is taken from the ledger: it was asked for these criteria and these steps, and given.
 */
import { hash } from 'node:crypto';
import type { Verdict } from '../../roles/verdict.ts';
import type { Event } from '../../schema/event.ts';
import type { Outcome } from '../../schema/tool.ts';

export type Vouched = Omit<Verdict, 'criteria'> & {
  criteria: { text: string; holds: boolean; evidence: string; by: 'check' | 'model' | 'person' }[];
};

/** Null while a person has to be asked. `steps` is the run that is judged, `events` those of the task's run. */
export function vouched(verdict: Verdict, steps: string, events: readonly Event[]): Vouched | null {
  if (!isGiven(bindingOf(verdict, steps), events)) return null;
  const criteria = verdict.criteria.map((each) =>
    each.holds
      ? each
      : { ...each, holds: true, evidence: `a person vouched for it (${each.evidence})`, by: 'person' as const },
  );
  return { verdict: 'done', criteria, reason: 'every criterion is met, some as a person confirmed' };
}

export function vouchFor(verdict: Verdict, steps: string): Outcome {
  const open = verdict.criteria.filter(({ holds }) => !holds).map(({ text, evidence }) => `- ${text}\n  ${evidence}`);
  const text = `Nobody could see whether this holds. Look for yourself; approve if it does, deny if not.\n${open.join('\n')}`;
  return {
    status: 'waiting',
    for: { kind: 'approval', binding: bindingOf(verdict, steps), text: text.slice(0, 20_000) },
  };
}

function isGiven(binding: string, events: readonly Event[]): boolean {
  const asked = new Set<string>();
  let given = false;
  for (const event of events) {
    if (event.type === 'wait.opened' && event.data.for.kind === 'approval' && event.data.for.binding === binding)
      asked.add(event.data.wait);
    if (event.type === 'wait.closed' && asked.has(event.data.wait)) given = event.data.answer.verdict === 'approved';
  }
  return given;
}

function bindingOf({ criteria }: Verdict, steps: string): string {
  const open = criteria.filter(({ holds }) => !holds).map(({ text }) => text);
  return hash('sha256', JSON.stringify(['vouch', steps, open]));
}
