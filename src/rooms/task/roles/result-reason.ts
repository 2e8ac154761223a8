/** Why a task is not done, in as few lines as say it: what a step wrote is shown with the step. */
import { toOneLine } from '../../../core/schema/one-line.ts';
import type { Speaker } from '../../../kit/text/languages.ts';
import type { ResultFacts, ResultStep } from '../../../kit/runs/result-content.ts';

const MOST_LINES = 20;

/** Lines of the reason, for the page. */
export function reasonLines(facts: ResultFacts, speaker: Speaker): string[] {
  const failed = failedStep(facts);
  const lines =
    failed === undefined ? linesIn(facts.reason) : [describeFailure(facts, failed, speaker), ...outputOf(failed)];
  return lines.slice(0, MOST_LINES);
}

/** The reason in one line, with the first line of what the step wrote. */
export function shortReason(facts: ResultFacts, most: number): string {
  const failed = failedStep(facts);
  const [first = '', second = ''] = linesIn(failed?.error ?? facts.reason);
  const text = first.endsWith(':') ? `${first} ${second}` : first;
  return toOneLine(failed === undefined || facts.steps.length === 1 ? text : `${failed.title}: ${text}`, most);
}

/** The step whose error is the reason. */
function failedStep({ verdict, reason, steps }: ResultFacts): ResultStep | undefined {
  if (verdict !== 'failed' && verdict !== 'rework' && verdict !== 'impossible') return undefined;
  const written = steps.find(({ as, status, error }) => as === 'written' && status === 'failed' && error !== undefined);
  if (written !== undefined) return written;
  if (verdict === 'impossible') return undefined;
  return steps.findLast(
    ({ status, error }) => status === 'failed' && error !== undefined && reason.includes(firstLine(error)),
  );
}

function describeFailure({ steps }: ResultFacts, failed: ResultStep, { say }: Speaker): string {
  const why = firstLine(failed.error ?? '')
    .replace(/\. It wrote to (?:stderr|stdout):$/, '')
    .replace(/[.:]$/, '');
  return say('Step {} ({}) failed: {}.', steps.indexOf(failed) + 1, failed.title, why);
}

/** What a step of a runbook wrote leads the page where a model has planned others since: these come far below. */
const outputOf = ({ as, error = '' }: ResultStep): string[] => (as === 'written' ? linesIn(error).slice(1, 6) : []);

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
const firstLine = (text: string): string => linesIn(text)[0] ?? '';
