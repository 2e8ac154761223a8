/**
 * Owns: the verdict on a run. Pure, and the only place that decides "done".
 *
 * V1 Done needs at least one criterion, exactly one finding for each criterion that was fixed before the work, all of them
 *    met, no breach of safety, and, where a model judged, the model's verdict that it is done.
 * V2 A finding that belongs to no criterion is ignored.
 * V3 A criterion that nobody could check makes the run blocked, not failed.
 */
import type { VerdictName } from '../../../core/schema/role.ts';
import type { Finding } from './check-calls.ts';
import type { Criterion } from '../../../kit/task/criteria.ts';
import type { ModelVerdict } from './critic.ts';
import type { Breach } from '../../../kit/text/safety.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

export type Found = {
  text: string;
  holds: boolean;
  evidence: string;
  by: 'check' | 'model';
  seen: boolean;
  /** Of a figure: what its command printed. */
  printed?: string;
};

export type Judged = {
  /** Fixed before anything was executed. */
  criteria: readonly Pick<Criterion, 'text' | 'check'>[];
  found: readonly Found[];
  breaches: readonly Breach[];
  /** The model's verdict on the whole; null when it was not asked. */
  model: Pick<ModelVerdict, 'verdict' | 'reason'> | null;
};

/** As `run.judged` records it. */
export type Verdict = {
  verdict: VerdictName;
  criteria: { text: string; holds: boolean; evidence: string; by: 'check' | 'model' }[];
  reason: string;
};

const MAX_EVIDENCE = 4000;
const MAX_REASON = 10_000;

export function decideVerdict({ criteria, found, breaches, model }: Judged): Verdict {
  const results = criteria.map((criterion) => findResult(criterion, found));
  const open = results.filter(({ holds }) => !holds);
  const reasons = [
    ...breaches.map(({ reason }) => reason),
    ...open.map(({ text, evidence }) => `${text}: ${evidence}`),
  ];
  const verdict = chooseVerdictName(results, breaches, model);
  const reason =
    verdict === 'done'
      ? 'every criterion is met'
      : [...reasons, ...modelReason(model), ...noCriteriaReason(results)].join('\n');
  return {
    verdict,
    criteria: results.map(({ text, holds, evidence, by }) => ({
      text,
      holds,
      evidence: evidence.slice(0, MAX_EVIDENCE),
      by,
    })),
    reason: reason.slice(0, MAX_REASON),
  };
}

function chooseVerdictName(
  results: readonly Found[],
  breaches: readonly Breach[],
  model: Judged['model'],
): VerdictName {
  const open = results.filter(({ holds }) => !holds);
  if (breaches.some(({ verdict }) => verdict === 'blocked')) return 'blocked';
  if (breaches.length === 0 && results.length > 0 && open.length === 0)
    return model === null || model.verdict === 'done' ? 'done' : 'rework';
  if (open.length > 0 && open.every(({ seen }) => !seen)) return 'blocked';
  if (open.length > 0 && (model?.verdict === 'blocked' || model?.verdict === 'impossible')) return model.verdict;
  return 'rework';
}

/** The finding for a criterion; none, several, or one by the wrong judge counts as not met. */
function findResult({ text, check }: Pick<Criterion, 'text' | 'check'>, found: readonly Found[]): Found {
  const by = check === null ? 'model' : 'check';
  const mine = found.filter((each) => each.text === text && each.by === by);
  const [only] = mine;
  if (only === undefined) return { text, holds: false, evidence: missingEvidence(by), by, seen: false };
  if (mine.length > 1)
    return { ...only, holds: false, evidence: `there are ${mine.length} findings for it`, seen: true };
  return { ...only, holds: only.holds && only.seen && only.evidence.trim() !== '' };
}

const missingEvidence = (by: 'check' | 'model'): string =>
  by === 'check' ? 'it was not checked' : 'nobody could judge it: it is prose, and there was no model to ask';

function modelReason(model: Judged['model']): string[] {
  return model === null || model.reason.trim() === '' ? [] : [`The critic: ${toOneLine(model.reason, 2000)}`];
}

const noCriteriaReason = (results: readonly Found[]): string[] =>
  results.length === 0 ? ['there is no criterion to judge the result by'] : [];

export const foundByCheck = (text: string, finding: Finding): Found => ({ text, ...finding, by: 'check' });

export const foundByModel = ({ criteria }: Pick<ModelVerdict, 'criteria'>): Found[] =>
  criteria.map((each) => ({ ...each, by: 'model', seen: true }));
