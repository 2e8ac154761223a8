/**
 * Owns: a person's confirmation of criteria that neither a check nor a model could judge.
 *
 * It counts only when the ledger says that it was requested for exactly these criteria and steps, and given.
 */
import { hash } from 'node:crypto';
import type { Verdict } from './roles/verdict.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Outcome } from '../../core/schema/tool.ts';

type ConfirmedVerdict = Omit<Verdict, 'criteria'> & {
  criteria: { text: string; holds: boolean; evidence: string; by: 'check' | 'model' | 'person' }[];
};

/** The verdict with the confirmation in it; null while a person has to be asked. `steps` names the run that is judged,
 * `events` are those of the task's run. */
export function confirmedVerdict(verdict: Verdict, steps: string, events: readonly Event[]): ConfirmedVerdict | null {
  if (!isConfirmed(bindingOf(verdict, steps), events)) return null;
  const criteria = verdict.criteria.map((each) =>
    each.holds
      ? each
      : { ...each, holds: true, evidence: `a person confirmed it (${each.evidence})`, by: 'person' as const },
  );
  return { verdict: 'done', criteria, reason: 'every criterion is met, some as a person confirmed' };
}

export function askForConfirmation(verdict: Verdict, steps: string): Outcome {
  const open = verdict.criteria.filter(({ holds }) => !holds).map(({ text, evidence }) => `- ${text}\n  ${evidence}`);
  const text = `oka could not check whether this is met. Check it yourself; approve if it is, deny if not.\n${open.join('\n')}`;
  return {
    status: 'waiting',
    for: { kind: 'approval', binding: bindingOf(verdict, steps), text: text.slice(0, 20_000) },
  };
}

function isConfirmed(binding: string, events: readonly Event[]): boolean {
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
