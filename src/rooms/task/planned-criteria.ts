/** Owns: criteria as a plan records them, read again. */
import { type Criterion, EVERY_STEP, parseCriterion } from '../../kit/task/criteria.ts';
import type { PlannedCriterion } from './roles/implied-criteria.ts';
import type { Planned } from '../../core/schema/task-run.ts';

type Recorded = Planned['criteria'][number];

function criterionIn({ text, author }: Recorded): Criterion {
  if (text === EVERY_STEP.text) return EVERY_STEP;
  const read = parseCriterion(text, author);
  return 'problem' in read ? { text, check: null, author } : read;
}

/** A criterion with what was seen of it before the work. */
export function plannedCriterion(given: Recorded): PlannedCriterion {
  return { ...criterionIn(given), ...(given.before === undefined ? {} : { before: given.before }) };
}

export function recordedCriterion({ text, author, before }: PlannedCriterion): Recorded {
  return { text, author, ...(before === undefined ? {} : { before }) };
}
