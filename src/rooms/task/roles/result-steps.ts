/** Owns: what was done, how it was judged and what it cost, as sections of RESULT.md. */
import { fenceText, formatLink, indentBlock, inlineCode, quoteInline } from '../../../kit/text/markdown-escape.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';
import type { ResultFacts, ResultStep } from '../../../kit/runs/result-content.ts';
import type { Say, Speaker } from '../../../kit/text/languages.ts';
import {
  countOf,
  formatBytes,
  formatDuration,
  formatMoney,
  formatPeriod,
  MAX_LISTED,
  moreLine,
} from './result-numbers.ts';

const MARKS: Readonly<Record<ResultStep['status'], string>> = {
  done: '✅',
  failed: '❌',
  skipped: '⤼',
  waiting: '⏸️',
  pending: '·',
  running: '…',
};

function statusNote(status: ResultStep['status'], say: Say): string {
  switch (status) {
    case 'done':
      return '';
    case 'skipped':
      return say('not run');
    case 'pending':
      return say('still to come');
    case 'failed':
    case 'waiting':
    case 'running':
      return say(status);
  }
}

/** An output that is longer is in a file next to the page, of which the page shows the beginning and the end. */
const MOST_LINES = 40;
const MOST_BYTES = 2500;
const SHOWN_LINES = 10;

export function stepsSection({ steps, answer }: ResultFacts, speaker: Speaker): string {
  const heading = `## ${speaker.say('What was done')}`;
  if (steps.length === 0) return `${heading}\n\n${speaker.say('Nothing was executed.')}`;
  const shown = steps.slice(0, MAX_LISTED).map((step, index) => {
    const isAnswer = answer !== undefined && step.output?.trim() === answer.trim(); // it has a section of its own
    return formatStep(isAnswer ? { ...step, output: '' } : step, index + 1, speaker);
  });
  return `${heading}\n\n${shown.join('\n\n')}${moreLine(steps.length, speaker)}`;
}

/** Whether the page shows all of an output. */
export const isShownWhole = (output: string): boolean =>
  Buffer.byteLength(output) <= MOST_BYTES && output.trimEnd().split('\n').length <= MOST_LINES;

function formatStep(step: ResultStep, number: number, speaker: Speaker): string {
  const { say } = speaker;
  const notes = [
    step.as === 'repair' ? say('not as written: planned by a model') : '',
    step.ms === undefined ? '' : formatDuration(step.ms, speaker),
    (step.attempts ?? 1) > 1 ? say('{} attempts', step.attempts ?? 1) : '',
    step.calls === undefined ? '' : countOf(step.calls, 'call', speaker),
    step.fallback === true ? say('failed, continued with its fallback') : statusNote(step.status, say),
  ].filter((note) => note !== '');
  const head = `${number}. ${MARKS[step.status]} ${quoteInline(step.title, 200)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const did = step.did === undefined || step.did.trim() === '' ? [] : [formatAction(step.did)];
  const stderr = isBlank(step.stderr) ? [] : [say('It wrote to stderr:'), formatOutputText(step.stderr ?? '', speaker)];
  const outputs = [step.error, step.output].filter((text) => !isBlank(text));
  const blocks = [
    ...did,
    ...outputs.map((text) => formatOutputText(text ?? '', speaker)),
    ...stderr,
    ...outputLines(step, speaker),
  ];
  return [head, ...blocks.map((block) => indentBlock(String(number).length + 2, block))].join('\n\n');
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

const formatAction = (did: string): string =>
  did.includes('\n') || did.length > 200 ? fenceText(did, MOST_BYTES) : inlineCode(did);

function formatOutputText(text: string, speaker: Speaker): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MOST_LINES) return fenceText(text, MOST_BYTES);
  const left = `[… ${speaker.say('{} left out', countOf(lines.length - 2 * SHOWN_LINES, 'line', speaker))} …]`;
  return fenceText([...lines.slice(0, SHOWN_LINES), left, ...lines.slice(-SHOWN_LINES)].join('\n'), MOST_BYTES);
}

const outputLines = ({ outputFiles = [] }: ResultStep, speaker: Speaker): string[] =>
  outputFiles.map(
    ({ file, bytes }) => `${speaker.say('All of it: {}', formatLink(file, file))}, ${formatBytes(bytes, speaker)}`,
  );

function judgedBy(by: ResultFacts['criteria'][number]['by'], say: Say): string {
  return say(by === 'check' ? 'Checked' : by === 'model' ? 'Judged by a model' : 'Confirmed by a person');
}

export function criteriaSection({ criteria, steps, replaced = [] }: ResultFacts, { say }: Speaker): string {
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, holds, evidence, by }) => {
    const seen = evidence === '' ? say('no evidence') : quoteInline(withoutErrors(evidence, steps, say), 1000);
    return `- ${holds ? '✅' : '❌'} ${quoteInline(text, 500)}\n  ${judgedBy(by, say)}: ${seen}`;
  });
  const gone = replaced.map(
    ({ text, by, reason }) =>
      `- ${say('{} was replaced by {}, because it could not be met: {}', inlineCode(text), inlineCode(by), quoteInline(reason, 500))}`,
  );
  return `## ${say('Evidence')}\n\n${[...lines, ...gone].join('\n')}`;
}

/** Errors are shown with their steps. */
function withoutErrors(evidence: string, steps: readonly ResultStep[], say: Say): string {
  return steps.reduce(
    (text, { error, status }, index) =>
      status === 'failed' && error !== undefined && error.trim() !== ''
        ? text.replace(`(${toOneLine(error, 2000)})`, `(${say('see step {}', index + 1)})`)
        : text,
    toOneLine(evidence, 4000),
  );
}

export function costSection(facts: ResultFacts, speaker: Speaker): string {
  const { cost, model, procedure, isNewHabit, started, ended } = facts;
  const { say } = speaker;
  const spent =
    model === null
      ? say('no model was used')
      : `${quoteInline(model, 100)}, ${countOf(cost.modelCalls, 'model call', speaker)}, ${countOf(cost.tokens, 'token', speaker)}, ${formatMoney(cost.usd, speaker)}`;
  const replans =
    cost.replans === 0
      ? ''
      : `, ${cost.replans === 1 ? say('replanned once') : say('replanned {} times', cost.replans)}`;
  const waited =
    cost.deskMs === 0 ? '' : `, ${say('{} of waiting for the desk', formatDuration(cost.deskMs, speaker))}`;
  return [
    `## ${say('Cost and time')}`,
    '',
    `- ${countOf(cost.calls, 'tool call', speaker)}, ${say('{} of work', formatDuration(cost.activeMs, speaker))}${waited}${replans}`,
    `- ${spent}`,
    ...(procedure === undefined
      ? []
      : [`- ${say('planned from a procedure: {}', inlineCode(`oka procedures why ${procedure}`))}`]),
    ...(procedure === undefined || isNewHabit !== true
      ? []
      : [
          `- ${say('I now do tasks like this one by myself. Undo with: {}', inlineCode(`oka procedures demote ${procedure}`))}`,
        ]),
    `- ${formatPeriod(started, ended, speaker)}`,
  ].join('\n');
}
