/** Owns: what was done, how it was judged and what it cost, as sections of RESULT.md. */
import { fenceText, formatLink, indentBlock, inlineCode, quoteInline } from '../../../kit/text/markdown-escape.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';
import type { ResultFacts, ResultStep } from '../../../kit/runs/result-content.ts';
import { countOf, formatBytes, formatDuration, formatPeriod, MAX_LISTED, moreLine } from './result-numbers.ts';

const MARKS: Readonly<Record<ResultStep['status'], string>> = {
  done: '✅',
  failed: '❌',
  skipped: '⤼',
  waiting: '⏸️',
  pending: '·',
  running: '…',
};

const STATUS_NOTES: Readonly<Record<ResultStep['status'], string>> = {
  done: '',
  failed: 'failed',
  skipped: 'not run',
  waiting: 'waiting',
  pending: 'still to come',
  running: 'running',
};

/** An output that is longer is in a file next to the page, of which the page shows the beginning and the end. */
const MOST_LINES = 40;
const MOST_BYTES = 2500;
const SHOWN_LINES = 10;

export function stepsSection({ steps, answer }: ResultFacts): string {
  if (steps.length === 0) return '## What was done\n\nNothing was executed.';
  const shown = steps.slice(0, MAX_LISTED).map((step, index) => {
    const isAnswer = answer !== undefined && step.output?.trim() === answer.trim(); // it has a section of its own
    return formatStep(isAnswer ? { ...step, output: '' } : step, index + 1);
  });
  return `## What was done\n\n${shown.join('\n\n')}${moreLine(steps.length, 'steps')}`;
}

/** Whether the page shows all of an output. */
export const isShownWhole = (output: string): boolean =>
  Buffer.byteLength(output) <= MOST_BYTES && output.trimEnd().split('\n').length <= MOST_LINES;

function formatStep(step: ResultStep, number: number): string {
  const notes = [
    step.as === 'repair' ? 'not as written: planned by a model' : '',
    step.ms === undefined ? '' : formatDuration(step.ms),
    (step.attempts ?? 1) > 1 ? `${step.attempts} attempts` : '',
    step.calls === undefined ? '' : countOf(step.calls, 'call'),
    step.fallback === true ? 'failed, continued with its fallback' : STATUS_NOTES[step.status],
  ].filter((note) => note !== '');
  const head = `${number}. ${MARKS[step.status]} ${quoteInline(step.title, 200)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const did = step.did === undefined || step.did.trim() === '' ? [] : [formatAction(step.did)];
  const stderr = isBlank(step.stderr) ? [] : ['It wrote to stderr:', formatOutputText(step.stderr ?? '')];
  const outputs = [step.error, step.output].filter((text) => !isBlank(text));
  const blocks = [...did, ...outputs.map((text) => formatOutputText(text ?? '')), ...stderr, ...outputLines(step)];
  return [head, ...blocks.map((block) => indentBlock(String(number).length + 2, block))].join('\n\n');
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

const formatAction = (did: string): string =>
  did.includes('\n') || did.length > 200 ? fenceText(did, MOST_BYTES) : inlineCode(did);

function formatOutputText(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MOST_LINES) return fenceText(text, MOST_BYTES);
  const left = `[… ${countOf(lines.length - 2 * SHOWN_LINES, 'line')} left out …]`;
  return fenceText([...lines.slice(0, SHOWN_LINES), left, ...lines.slice(-SHOWN_LINES)].join('\n'), MOST_BYTES);
}

const outputLines = ({ outputFiles = [] }: ResultStep): string[] =>
  outputFiles.map(({ file, bytes }) => `All of it: ${formatLink(file, file)}, ${formatBytes(bytes)}`);

const JUDGED_BY = { check: 'Checked', model: 'Judged by a model', person: 'Confirmed by a person' } as const;

export function criteriaSection({ criteria, steps, replaced = [] }: ResultFacts): string {
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, holds, evidence, by }) => {
    const seen = evidence === '' ? 'no evidence' : quoteInline(withoutErrors(evidence, steps), 1000);
    return `- ${holds ? '✅' : '❌'} ${quoteInline(text, 500)}\n  ${JUDGED_BY[by]}: ${seen}`;
  });
  const gone = replaced.map(
    ({ text, by, reason }) =>
      `- ${inlineCode(text)} was replaced by ${inlineCode(by)}, because it could not be met: ${quoteInline(reason, 500)}`,
  );
  return `## Evidence\n\n${[...lines, ...gone].join('\n')}`;
}

/** Errors are shown with their steps. */
function withoutErrors(evidence: string, steps: readonly ResultStep[]): string {
  return steps.reduce(
    (text, { error, status }, index) =>
      status === 'failed' && error !== undefined && error.trim() !== ''
        ? text.replace(`(${toOneLine(error, 2000)})`, `(see step ${index + 1})`)
        : text,
    toOneLine(evidence, 4000),
  );
}

export function costSection({ cost, model, procedure, isNewHabit, started, ended }: ResultFacts): string {
  const spent =
    model === null
      ? 'no model was used'
      : `${quoteInline(model, 100)}, ${countOf(cost.modelCalls, 'model call')}, ${countOf(cost.tokens, 'token')}, $${cost.usd.toFixed(4)}`;
  const replans = cost.replans === 0 ? '' : `, replanned ${cost.replans === 1 ? 'once' : `${cost.replans} times`}`;
  const waited = cost.deskMs === 0 ? '' : `, ${formatDuration(cost.deskMs)} of waiting for the desk`;
  return [
    '## Cost and time',
    '',
    `- ${countOf(cost.calls, 'tool call')}, ${formatDuration(cost.activeMs)} of work${waited}${replans}`,
    `- ${spent}`,
    ...(procedure === undefined
      ? []
      : [`- planned from a procedure: ${inlineCode(`oka procedures why ${procedure}`)}`]),
    ...(procedure === undefined || isNewHabit !== true
      ? []
      : [`- I now do tasks like this one by myself. Undo with: ${inlineCode(`oka procedures demote ${procedure}`)}`]),
    `- ${formatPeriod(started, ended)}`,
  ].join('\n');
}
