/** Owns: rendering the page of a day. It is read in the morning: results first, then decisions, then the rest. */
import { undoCommand } from '../../../kit/learning/habit-notice.ts';
import type { Page, PageLine } from '../../../core/schema/learning-part.ts';
import { plain } from '../../../kit/learning/learning.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { conversationLines } from './day-chats.ts';
import {
  countOmitted,
  type Counts,
  dayCounts,
  type FactEntry,
  isCompact,
  type DayEntryKind,
  type MoveEntry,
  entriesOn,
  type TaskEntry,
  type DayEntries,
  type ToolEntry,
  type DecisionEntry,
} from './day-entries.ts';
import {
  toInlineCode,
  formatCount,
  formatUsd,
  formatNumber,
  formatDuration,
  joinList,
  wrapParagraph,
  escapeText,
  renderSection,
} from '../../../kit/learning/page-prose.ts';

export function renderDayPage(rows: Rows, day: string, compactDays: number | null): Page {
  const counts = dayCounts(rows, day) ?? {};
  const head = [plain(`# ${formatDate(day)}`), plain(''), ...wrapParagraph(headline(counts))];
  const short = [...head, ...summarizeCounts(counts, 'In short')];
  if (isCompact(rows, day, compactDays)) return { lines: short };
  const all = <K extends DayEntryKind>(kind: K, line: (entry: DayEntries[K]) => string): PageLine[] => [
    ...entriesOn(rows, day, kind).map((entry) => plain(`- ${line(entry)}`)),
    ...moreLine(countOmitted(counts, kind)),
  ];
  return {
    lines: [
      ...head,
      ...renderSection('Tasks', all('task', taskLine)),
      ...renderSection('Conversations', conversationLines(rows, day)),
      ...renderSection('What people decided', all('word', decisionLine)),
      ...renderSection('Tools', all('tool', toolLine)),
      ...renderSection('Learned', all('fact', factLine)),
      ...renderSection('Procedures', all('procedure', moveLine)),
      ...renderSection('Problems', problemLines(rows, day, counts)),
    ],
  };
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

function formatDate(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${WEEKDAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

const countOf = (counts: Counts, name: string): number => counts[name] ?? 0;

function headline(counts: Counts): string {
  return [tasksSentence(counts), peopleSentence(counts), costSentence(counts)].filter((each) => each !== '').join(' ');
}

function tasksSentence(counts: Counts): string {
  const [done, failed, cancelled] = [countOf(counts, 'done'), countOf(counts, 'failed'), countOf(counts, 'cancelled')];
  const all = done + failed + cancelled;
  if (all === 0) return 'No task ended on this day.';
  const bad = [
    failed > 0 ? `${formatNumber(failed)} failed` : '',
    cancelled > 0 ? `${formatNumber(cancelled)} ${cancelled === 1 ? 'was' : 'were'} cancelled` : '',
  ].filter((each) => each !== '');
  if (bad.length === 0) return all === 1 ? '1 task was done.' : `All ${formatNumber(all)} tasks were done.`;
  const good =
    all === 1 ? '' : `${formatNumber(done)} of ${formatNumber(all)} tasks ${done === 1 ? 'was' : 'were'} done; `;
  return all === 1 ? `The only task ${failed > 0 ? 'failed' : 'was cancelled'}.` : `${good}${joinList(bad)}.`;
}

function peopleSentence(counts: Counts): string {
  const parts = [
    countPhrase(counts, 'answered', (n) => `answered ${formatCount(n, 'question')}`),
    countPhrase(counts, 'approved', (n) => `allowed ${formatCount(n, 'step')}`),
    countPhrase(counts, 'denied', (n) => `denied ${formatCount(n, 'step')}`),
    countPhrase(counts, 'corrected', (n) => `corrected ${formatCount(n, 'result')}`),
    countPhrase(counts, 'undone', (n) => `undid ${formatCount(n, 'task')}`),
  ].flat();
  return parts.length === 0 ? '' : `You ${joinList(parts)}.`;
}

function costSentence(counts: Counts): string {
  const thoughts = countOf(counts, 'thoughts');
  const reused = countPhrase(counts, 'reused', (n) => `${formatCount(n, 'plan')} came from a procedure`);
  if (thoughts === 0) return reused.length > 0 ? `No model was asked; ${reused[0]}.` : 'No model was asked.';
  const spent = [
    formatCount(thoughts, 'model call'),
    formatCount(countOf(counts, 'tokens'), 'token'),
    formatUsd(countOf(counts, 'usd')),
  ];
  return `It took ${joinList(spent)}${reused.length > 0 ? `; ${reused[0]}` : ''}.`;
}

const countPhrase = (counts: Counts, name: string, phrase: (amount: number) => string): string[] =>
  countOf(counts, name) > 0 ? [phrase(countOf(counts, name))] : [];

/** Summarizes everything else as numbers. */
function summarizeCounts(counts: Counts, heading: string): PageLine[] {
  const phrases = [
    countPhrase(counts, 'reworked', (n) => `${formatCount(n, 'result')} sent back by the critic and planned again`),
    countPhrase(counts, 'installed', (n) => `${formatCount(n, 'tool')} installed`),
    countPhrase(counts, 'asked', (n) => `${formatCount(n, 'requirement')} opened`),
    countPhrase(counts, 'brought', (n) => `${formatCount(n, 'requirement')} resolved`),
    countPhrase(counts, 'learned', (n) => `${formatCount(n, 'fact')} learned`),
    countPhrase(counts, 'forgotten', (n) => `${formatCount(n, 'fact')} forgotten`),
    countPhrase(counts, 'moved', (n) => `${formatCount(n, 'status change')} of procedures`),
    countPhrase(counts, 'edited', (n) => `${formatCount(n, 'page')} edited`),
    ...describeProblems(counts).map((each) => [each]),
  ].flat();
  return phrases.length === 0 ? [] : [plain(''), ...wrapParagraph(`${heading}: ${joinList(phrases)}.`)];
}

const MARKS = { done: '✓', failed: '✗', cancelled: '–' } as const;

function taskLine({ run, title, status, seconds, reason, rework }: TaskEntry): string {
  const took = seconds === null ? '' : ` in ${formatDuration(seconds)}`;
  const again = rework === 0 ? '' : `, after ${formatCount(rework, 'rework')}`;
  const why = reason === '' ? '' : `: ${escapeText(reason, 160)}`;
  return `${MARKS[status]} ${escapeText(title, 120) || 'Untitled'} — ${status}${took}${again}${why} ([result](../../workspace/outbox/${run}/RESULT.md))`;
}

function decisionLine(entry: DecisionEntry): string {
  const about = entry.run === null ? '' : ` (${entry.run})`;
  switch (entry.kind) {
    case 'approved':
    case 'denied':
      return `${entry.kind === 'approved' ? 'Allowed' : 'Denied'} ${toInlineCode(entry.text)}${entry.answer === '' ? '' : `: ${escapeText(entry.answer)}`}${about}`;
    case 'answered':
      return `Asked “${escapeText(entry.text, 160)}”, answered “${escapeText(entry.answer, 160)}”${about}`;
    case 'corrected':
      return `Corrected: ${escapeText(entry.text)}${about}`;
    case 'undone':
      return `Undid its changes: ${formatCount(Number(entry.text), 'file')}${about}`;
    case 'stopped':
      return `${entry.text === 'pause' ? 'Paused' : 'Cancelled'} a task${about}`;
  }
}

const TOOLS: Readonly<Record<ToolEntry['kind'], string>> = {
  installed: 'Installed',
  removed: 'Removed',
  asked: 'Needs from you',
  brought: 'Available now',
};

const toolLine = ({ kind, name, version, why }: ToolEntry): string =>
  `${TOOLS[kind]}: ${toInlineCode(name)}${version === '' ? '' : ` ${escapeText(version, 40)}`}${why === '' ? '' : `, ${escapeText(why, 160)}`}`;

const factLine = ({ text, namespace, source }: FactEntry): string =>
  `${escapeText(text)} _(${escapeText(namespace, 60)}, from ${source})_`;

function moveLine({ procedure, to, reason, isForced, habit }: MoveEntry): string {
  const link = `[${escapeText(procedure, 80)}](../brain/PROCEDURES/${encodeURIComponent(procedure)}.md)`;
  const line = `${link} is ${to}${isForced ? ' by force' : ''}: ${escapeText(reason, 200)}`;
  if (habit === undefined) return line;
  return `I now do this by myself: ${escapeText(habit, 120)}. Undo with ${toInlineCode(undoCommand(procedure))}. ${line}`;
}

const moreLine = (count: number): PageLine[] => (count === 0 ? [] : [plain(`- … and ${formatNumber(count)} more`)]);

function problemLines(rows: Rows, day: string, counts: Counts): PageLine[] {
  const hosts = [...new Set(entriesOn(rows, day, 'trouble'))].slice(0, 3);
  const which = hosts.length === 0 ? '' : `, such as ${joinList(hosts.map(toInlineCode))}`;
  return describeProblems(counts).map((each) => plain(`- ${each}${each.includes('refused') ? which : ''}`));
}

function describeProblems(counts: Counts): string[] {
  return [
    countPhrase(
      counts,
      'crashes',
      (n) => `the worker came back ${n === 1 ? 'once' : `${formatNumber(n)} times`} after a crash`,
    ),
    countPhrase(
      counts,
      'repairs',
      (n) => `the ledger was repaired ${n === 1 ? 'once' : `${formatNumber(n)} times`} after an interrupted write`,
    ),
    countPhrase(counts, 'full', (n) => `the disk was full ${n === 1 ? 'once' : `${formatNumber(n)} times`}`),
    countPhrase(counts, 'refused', (n) => `${formatCount(n, 'connection')} refused`),
    countPhrase(counts, 'overstepped', (n) => `${formatCount(n, 'command')} tried more than allowed`),
    countPhrase(counts, 'unread', (n) => `${formatCount(n, 'request')} could not be accepted`),
    countPhrase(counts, 'unaccepted', (n) => `${formatCount(n, 'answer')} not accepted`),
  ].flat();
}
