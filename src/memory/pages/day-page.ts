/** Owns: how a day is told. A person reads it in the morning: what came out first, then what was said, then the rest. */
import { type Page, type PageLine, plain } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import {
  beyond,
  type Counts,
  countsOf,
  type FactTold,
  isOld,
  type Kind,
  type MoveTold,
  notedOn,
  type TaskTold,
  type Told,
  type ToolTold,
  type WordTold,
} from './day.ts';
import { code, counted, dollars, grouped, lasting, listed, paragraph, said, section } from './prose.ts';

export function dayPage(book: Rows, day: string, compactDays: number | null): Page {
  const counts = countsOf(book, day) ?? {};
  const head = [plain(`# ${dateWords(day)}`), plain(''), ...paragraph(headline(counts))];
  const short = [...head, ...rest(counts, 'In short')];
  if (isOld(book, day, compactDays)) return { lines: short };
  const all = <K extends Kind>(kind: K, line: (told: Told[K]) => string): PageLine[] => [
    ...notedOn(book, day, kind).map((told) => plain(`- ${line(told)}`)),
    ...more(beyond(counts, kind)),
  ];
  return {
    lines: [
      ...head,
      ...section('Tasks', all('task', taskLine)),
      ...section('What people decided', all('word', wordLine)),
      ...section('Tools', all('tool', toolLine)),
      ...section('Learned', all('fact', factLine)),
      ...section('Procedures', all('procedure', moveLine)),
      ...section('Trouble', troubleLines(book, day, counts)),
    ],
  };
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

export function dateWords(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return `${WEEKDAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

const of = (counts: Counts, name: string): number => counts[name] ?? 0;

function headline(counts: Counts): string {
  return [tasksSentence(counts), peopleSentence(counts), costSentence(counts)].filter((each) => each !== '').join(' ');
}

function tasksSentence(counts: Counts): string {
  const [done, failed, cancelled] = [of(counts, 'done'), of(counts, 'failed'), of(counts, 'cancelled')];
  const all = done + failed + cancelled;
  if (all === 0) return 'No task ended on this day.';
  const bad = [
    failed > 0 ? `${grouped(failed)} failed` : '',
    cancelled > 0 ? `${grouped(cancelled)} ${cancelled === 1 ? 'was' : 'were'} cancelled` : '',
  ].filter((each) => each !== '');
  if (bad.length === 0) return all === 1 ? '1 task was done.' : `All ${grouped(all)} tasks were done.`;
  const good = all === 1 ? '' : `${grouped(done)} of ${grouped(all)} tasks ${done === 1 ? 'was' : 'were'} done; `;
  return all === 1 ? `The only task ${failed > 0 ? 'failed' : 'was cancelled'}.` : `${good}${listed(bad)}.`;
}

function peopleSentence(counts: Counts): string {
  const parts = [
    part(counts, 'answered', (n) => `answered ${counted(n, 'question')}`),
    part(counts, 'approved', (n) => `allowed ${counted(n, 'step')}`),
    part(counts, 'denied', (n) => `denied ${counted(n, 'step')}`),
    part(counts, 'corrected', (n) => `corrected ${counted(n, 'result')}`),
    part(counts, 'undone', (n) => `took back ${counted(n, 'task')}`),
  ].flat();
  return parts.length === 0 ? '' : `You ${listed(parts)}.`;
}

function costSentence(counts: Counts): string {
  const thoughts = of(counts, 'thoughts');
  const reused = part(counts, 'reused', (n) => `${counted(n, 'plan')} came from a procedure`);
  if (thoughts === 0) return reused.length > 0 ? `No model was asked; ${reused[0]}.` : 'No model was asked.';
  const spent = [counted(thoughts, 'model call'), counted(of(counts, 'tokens'), 'token'), dollars(of(counts, 'usd'))];
  return `It took ${listed(spent)}${reused.length > 0 ? `; ${reused[0]}` : ''}.`;
}

const part = (counts: Counts, name: string, tell: (amount: number) => string): string[] =>
  of(counts, name) > 0 ? [tell(of(counts, name))] : [];

/** Everything else as numbers. */
function rest(counts: Counts, heading: string): PageLine[] {
  const told = [
    part(counts, 'reworked', (n) => `${counted(n, 'result')} sent back by the critic`),
    part(counts, 'installed', (n) => `${counted(n, 'tool')} installed`),
    part(counts, 'asked', (n) => `${counted(n, 'requirement')} opened`),
    part(counts, 'brought', (n) => `${counted(n, 'requirement')} met`),
    part(counts, 'learned', (n) => `${counted(n, 'fact')} learned`),
    part(counts, 'forgotten', (n) => `${counted(n, 'fact')} given up`),
    part(counts, 'moved', (n) => `${counted(n, 'move')} of procedures`),
    part(counts, 'edited', (n) => `${counted(n, 'page')} edited`),
    ...troubles(counts).map((each) => [each]),
  ].flat();
  return told.length === 0 ? [] : [plain(''), ...paragraph(`${heading}: ${listed(told)}.`)];
}

const MARKS = { done: '✓', failed: '✗', cancelled: '–' } as const;

function taskLine({ run, title, status, seconds, reason, rework }: TaskTold): string {
  const took = seconds === null ? '' : ` in ${lasting(seconds)}`;
  const again = rework === 0 ? '' : `, after ${counted(rework, 'rework')}`;
  const why = reason === '' ? '' : `: ${said(reason, 160)}`;
  return `${MARKS[status]} ${said(title, 120) || 'Untitled'} — ${status}${took}${again}${why} ([result](../../workspace/outbox/${run}/RESULT.md))`;
}

function wordLine(told: WordTold): string {
  const about = told.run === null ? '' : ` (${told.run})`;
  switch (told.kind) {
    case 'approved':
    case 'denied':
      return `${told.kind === 'approved' ? 'Allowed' : 'Denied'} ${code(told.text)}${told.answer === '' ? '' : `: ${said(told.answer)}`}${about}`;
    case 'answered':
      return `Asked “${said(told.text, 160)}”, answered “${said(told.answer, 160)}”${about}`;
    case 'corrected':
      return `Corrected: ${said(told.text)}${about}`;
    case 'undone':
      return `Took back what it changed: ${counted(Number(told.text), 'file')}${about}`;
    case 'stopped':
      return `${told.text === 'pause' ? 'Held' : 'Cancelled'} a task${about}`;
  }
}

const TOOLS: Readonly<Record<ToolTold['kind'], string>> = {
  installed: 'Installed',
  removed: 'Removed',
  asked: 'Needs from you',
  brought: 'Is there now',
};

const toolLine = ({ kind, name, version, why }: ToolTold): string =>
  `${TOOLS[kind]}: ${code(name)}${version === '' ? '' : ` ${said(version, 40)}`}${why === '' ? '' : `, ${said(why, 160)}`}`;

const factLine = ({ text, namespace, source }: FactTold): string =>
  `${said(text)} _(${said(namespace, 60)}, from ${source})_`;

const moveLine = ({ procedure, to, reason, isForced }: MoveTold): string =>
  `[${said(procedure, 80)}](../brain/PROCEDURES/${encodeURIComponent(procedure)}.md) is ${to}${isForced ? ' by force' : ''}: ${said(reason, 200)}`;

const more = (count: number): PageLine[] => (count === 0 ? [] : [plain(`- … and ${grouped(count)} more`)]);

function troubleLines(book: Rows, day: string, counts: Counts): PageLine[] {
  const hosts = [...new Set(notedOn(book, day, 'trouble'))].slice(0, 3);
  const which = hosts.length === 0 ? '' : `, such as ${listed(hosts.map(code))}`;
  return troubles(counts).map((each) => plain(`- ${each}${each.includes('refused') ? which : ''}`));
}

function troubles(counts: Counts): string[] {
  return [
    part(
      counts,
      'crashes',
      (n) => `the worker came back ${n === 1 ? 'once' : `${grouped(n)} times`} after it had died`,
    ),
    part(counts, 'repairs', (n) => `the ledger was mended ${n === 1 ? 'once' : `${grouped(n)} times`} after a cut`),
    part(counts, 'full', (n) => `the disk was full ${n === 1 ? 'once' : `${grouped(n)} times`}`),
    part(counts, 'refused', (n) => `${counted(n, 'connection')} refused`),
    part(counts, 'overstepped', (n) => `${counted(n, 'command')} tried more than allowed`),
    part(counts, 'unread', (n) => `${counted(n, 'request')} could not be taken`),
    part(counts, 'unaccepted', (n) => `${counted(n, 'answer')} not accepted`),
  ].flat();
}
