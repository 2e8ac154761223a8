/** Owns: RESULT.md, the page that a person reads when a task has ended or cannot continue. */
import { renderAnswer } from '../../../kit/text/answer-markdown.ts';
import { inlineCode, quoteInline } from '../../../kit/text/markdown-escape.ts';
import type { ResultFacts } from '../../../kit/runs/result-content.ts';
import { filesSection, hostsSection, installedSection, picturesSection } from './result-files.ts';
import { formatMoment } from './result-numbers.ts';
import { reasonLines } from './result-reason.ts';
import { costSection, criteriaSection, stepsSection } from './result-steps.ts';

const HEADLINES: Readonly<Record<ResultFacts['verdict'], string>> = {
  done: '✅ Done',
  rework: '❌ Not done: the result does not meet the criteria',
  blocked: '⏸️ Blocked: a person is needed',
  impossible: '❌ Not possible',
  failed: '❌ Failed',
  cancelled: '⏹️ Cancelled',
  paused: '⏸️ Paused',
  running: '⏳ In progress',
};

export function resultPage(facts: ResultFacts): string {
  const sections = [
    `# ${quoteInline(facts.title, 200) || 'Untitled task'}`,
    verdictSection(facts),
    answerSection(facts),
    picturesSection(facts),
    nextSection(facts),
    stepsSection(facts),
    criteriaSection(facts),
    filesSection(facts),
    installedSection(facts),
    hostsSection(facts),
    costSection(facts),
    repeatSection(facts),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** A task that waits for nobody, such as for a model that is not reachable, needs no person. */
function headlineOf({ verdict, questions, steps }: ResultFacts): string {
  const needsNobody = questions.length > 0 && questions.every(({ ask }) => ask === 'time');
  if (verdict === 'blocked' && needsNobody) return '⏸️ Waiting: it continues automatically';
  const hasFailed = steps.some(({ status, error }) => status === 'failed' && error !== undefined);
  return verdict === 'rework' && hasFailed ? '❌ Not done' : HEADLINES[verdict];
}

function verdictSection(facts: ResultFacts): string {
  const { criteria, unsandboxed, undone, notes = [] } = facts;
  const met = criteria.filter(({ holds }) => holds).length;
  const count = criteria.length === 0 ? '' : ` ${met} of ${criteria.length} criteria met.`;
  const why = reasonLines(facts).map((line) => `> ${quoteInline(line, 600)}`);
  return [
    `**${headlineOf(facts)}.**${count}`,
    ...(undone === undefined ? [] : [`↩️ Its changes were undone on ${formatMoment(undone.at)}.`]),
    ...(why.length === 0 ? [] : [why.join('\n>\n')]),
    ...notes.map((note) => `Note: ${quoteInline(note, 600)}`),
    ...(unsandboxed === undefined ? [] : [`⚠️ ${quoteInline(unsandboxed, 600)}`]),
  ].join('\n\n');
}

/** The answer may be what was asked for, so it comes first. */
function answerSection({ answer, verdict }: ResultFacts): string {
  if (answer === undefined || answer.trim() === '') return '';
  const isOpen = verdict === 'blocked' || verdict === 'paused' || verdict === 'running';
  const heading = verdict === 'done' ? 'Answer' : isOpen ? 'Answer so far' : 'Answer, not accepted';
  return `## ${heading}\n\n${renderAnswer(answer)}`;
}

const REPLY_HINTS = {
  answer: (id: string) => `\n  Answer with ${inlineCode(`oka answer ${id} "…"`)}.`,
  approval: (id: string) => `\n  Answer with ${inlineCode(`oka approve ${id}`)} or ${inlineCode(`oka deny ${id}`)}.`,
  requirement: (_id: string, command = '') =>
    `\n  ${inlineCode('oka requirements')} says how to get it; ${inlineCode('oka status')} shows it if oka asks before it installs something. Once it is there: ${inlineCode(command)}.`,
  nothing: () => '',
  time: () => '',
} as const;

/** Open questions come before the long sections, because the task may be waiting for them. */
function nextSection({ questions, next, run }: ResultFacts): string {
  const answerable = questions.filter(({ ask = 'answer' }) => ask === 'answer' || ask === 'approval').length;
  const asked = questions.map(
    ({ id, text, ask = 'answer', command }) =>
      `- ${quoteInline(text, 1000)}${REPLY_HINTS[ask](answerable === 1 && id.startsWith(run) ? run : id, command)}`,
  );
  const todo = next.map(
    ({ text, command }) => `- ${quoteInline(text, 1000)}${command === undefined ? '' : `: ${inlineCode(command)}`}`,
  );
  return [
    asked.length === 0 ? '' : `## Open questions\n\n${asked.join('\n')}`,
    todo.length === 0 ? '' : `## What you can do\n\n${todo.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function repeatSection(facts: ResultFacts): string {
  const { run, ledger, corrects } = facts;
  return [
    '## Inspect or repeat it',
    '',
    ...(corrects === undefined ? [] : [`- This run corrects ${inlineCode(corrects)}.`]),
    `- Run ${inlineCode(run)}, ledger ${ledger.first} to ${ledger.last}: ${inlineCode(`oka show ${run}`)} shows it step by step.`,
    ...repeatLines(facts).map((line) => `- ${line}`),
  ].join('\n');
}

function repeatLines({ run, task, verdict, canRepeat = false }: ResultFacts): string[] {
  const again = canRepeat
    ? `Do it again from the start: ${inlineCode(`oka again ${run}`)}`
    : `To do it again, put ${inlineCode(task)} into the inbox once more.`;
  switch (verdict) {
    case 'done':
      return [again, `Something is wrong? ${inlineCode(`oka correct ${run} "what is wrong"`)}`];
    case 'blocked':
      return ['It continues automatically as soon as it gets what it is waiting for.'];
    case 'running':
      return ['This page is written again when it is done, or when it needs you.'];
    case 'paused':
      return [];
    case 'cancelled':
    case 'failed':
    case 'rework':
    case 'impossible':
      return [again];
  }
}
