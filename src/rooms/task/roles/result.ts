/** Owns: RESULT.md, the page that a person reads when a task has ended or cannot continue. */
import { renderAnswer } from '../../../kit/text/answer-markdown.ts';
import { inlineCode, quoteInline } from '../../../kit/text/markdown-escape.ts';
import type { ResultFacts } from '../../../kit/runs/result-content.ts';
import { filesSection, hostsSection, installedSection, picturesSection } from './result-files.ts';
import { ENGLISH, type Say, type Speaker } from '../../../kit/text/languages.ts';
import { formatMoment } from './result-numbers.ts';
import { reasonLines } from './result-reason.ts';
import { costSection, criteriaSection, stepsSection } from './result-steps.ts';

const headlines = (say: Say): Readonly<Record<ResultFacts['verdict'], string>> => ({
  done: `✅ ${say('Done')}`,
  rework: `❌ ${say('Not done: the result does not meet the criteria')}`,
  blocked: `⏸️ ${say('Blocked: a person is needed')}`,
  impossible: `❌ ${say('Not possible')}`,
  failed: `❌ ${say('Failed')}`,
  cancelled: `⏹️ ${say('Cancelled')}`,
  paused: `⏸️ ${say('Paused')}`,
  running: `⏳ ${say('In progress')}`,
});

export function resultPage(facts: ResultFacts, speaker: Speaker = ENGLISH): string {
  const { say } = speaker;
  const sections = [
    `# ${quoteInline(facts.title, 200) || say('Untitled task')}`,
    verdictSection(facts, speaker),
    answerSection(facts, say),
    picturesSection(facts, speaker),
    nextSection(facts, say),
    stepsSection(facts, speaker),
    criteriaSection(facts, speaker),
    filesSection(facts, speaker),
    installedSection(facts, speaker),
    hostsSection(facts, speaker),
    costSection(facts, speaker),
    repeatSection(facts, say),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** A task that waits for nobody, such as for a model that is not reachable, needs no person. */
function headlineOf({ verdict, questions, steps }: ResultFacts, say: Say): string {
  const needsNobody = questions.length > 0 && questions.every(({ ask }) => ask === 'time');
  if (verdict === 'blocked' && needsNobody) return `⏸️ ${say('Waiting: it continues automatically')}`;
  const hasFailed = steps.some(({ status, error }) => status === 'failed' && error !== undefined);
  return verdict === 'rework' && hasFailed ? `❌ ${say('Not done')}` : headlines(say)[verdict];
}

function verdictSection(facts: ResultFacts, speaker: Speaker): string {
  const { say } = speaker;
  const { criteria, unsandboxed, undone, notes = [] } = facts;
  const met = criteria.filter(({ holds }) => holds).length;
  const count = criteria.length === 0 ? '' : ` ${say('{} of {} criteria met.', met, criteria.length)}`;
  const why = reasonLines(facts, speaker).map((line) => `> ${quoteInline(line, 600)}`);
  return [
    `**${headlineOf(facts, say)}.**${count}`,
    ...(undone === undefined ? [] : [`↩️ ${say('Its changes were undone on {}.', formatMoment(undone.at))}`]),
    ...(why.length === 0 ? [] : [why.join('\n>\n')]),
    ...notes.map((note) => say('Note: {}', quoteInline(note, 600))),
    ...(unsandboxed === undefined ? [] : [`⚠️ ${quoteInline(unsandboxed, 600)}`]),
  ].join('\n\n');
}

/** The answer may be what was asked for, so it comes first. */
function answerSection({ answer, verdict }: ResultFacts, say: Say): string {
  if (answer === undefined || answer.trim() === '') return '';
  const isOpen = verdict === 'blocked' || verdict === 'paused' || verdict === 'running';
  const heading = say(verdict === 'done' ? 'Answer' : isOpen ? 'Answer so far' : 'Answer, not accepted');
  return `## ${heading}\n\n${renderAnswer(answer)}`;
}

type Question = ResultFacts['questions'][number];

function replyHint({ ask = 'answer', command = '' }: Question, id: string, say: Say): string {
  switch (ask) {
    case 'answer':
      return `\n  ${say('Answer with {}.', inlineCode(`oka answer ${id} "…"`))}`;
    case 'approval':
      return `\n  ${say('Answer with {} or {}.', inlineCode(`oka approve ${id}`), inlineCode(`oka deny ${id}`))}`;
    case 'requirement': {
      const [list, status] = [inlineCode('oka requirements'), inlineCode('oka status')];
      return `\n  ${say('{} says how to get it; {} shows it if oka asks before it installs something. Once it is there: {}.', list, status, inlineCode(command))}`;
    }
    case 'nothing':
    case 'time':
      return '';
  }
}

/** Open questions come before the long sections, because the task may be waiting for them. */
function nextSection({ questions, next, run }: ResultFacts, say: Say): string {
  const answerable = questions.filter(({ ask = 'answer' }) => ask === 'answer' || ask === 'approval').length;
  const asked = questions.map((question) => {
    const { id, text } = question;
    return `- ${quoteInline(text, 1000)}${replyHint(question, answerable === 1 && id.startsWith(run) ? run : id, say)}`;
  });
  const todo = next.map(
    ({ text, command }) =>
      `- ${quoteInline(say(text), 1000)}${command === undefined ? '' : `: ${inlineCode(command)}`}`,
  );
  return [
    asked.length === 0 ? '' : `## ${say('Open questions')}\n\n${asked.join('\n')}`,
    todo.length === 0 ? '' : `## ${say('What you can do')}\n\n${todo.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function repeatSection(facts: ResultFacts, say: Say): string {
  const { run, ledger, corrects } = facts;
  return [
    `## ${say('Inspect or repeat it')}`,
    '',
    ...(corrects === undefined ? [] : [`- ${say('This run corrects {}.', inlineCode(corrects))}`]),
    `- ${say('Run {}, ledger {} to {}: {} shows it step by step.', inlineCode(run), ledger.first, ledger.last, inlineCode(`oka show ${run}`))}`,
    ...repeatLines(facts, say).map((line) => `- ${line}`),
  ].join('\n');
}

function repeatLines({ run, task, verdict, canRepeat = false }: ResultFacts, say: Say): string[] {
  const again = canRepeat
    ? say('Do it again from the start: {}', inlineCode(`oka again ${run}`))
    : say('To do it again, put {} into the inbox once more.', inlineCode(task));
  switch (verdict) {
    case 'done':
      return [again, say('Something is wrong? {}', inlineCode(`oka correct ${run} "${say('what is wrong')}"`))];
    case 'blocked':
      return [say('It continues automatically as soon as it gets what it is waiting for.')];
    case 'running':
      return [say('This page is written again when it is done, or when it needs you.')];
    case 'paused':
      return [];
    case 'cancelled':
    case 'failed':
    case 'rework':
    case 'impossible':
      return [again];
  }
}
