/** The line on the console when a task ends or waits: its outcome, by its title. */
import { toOneLine } from './prompt-text.ts';
import type { ResultFacts } from './result.ts';

const MOST_TITLE = 120;
const MOST_REASON = 200;

export function resultLine(facts: ResultFacts): string {
  const { verdict, title } = facts;
  const name = toOneLine(title, MOST_TITLE) || 'Untitled task';
  if (verdict === 'done') return `done: ${name}`;
  if (verdict === 'cancelled') return `cancelled: ${name}`;
  const about = verdict === 'blocked' ? describeBlock(facts) : firstSentence(facts.reason);
  const label = verdict === 'blocked' ? blockLabel(facts) : LABELS[verdict];
  return `${label}: ${name}${about === '' ? '' : `: ${about}`}`;
}

const LABELS = { failed: 'failed', rework: 'not done', impossible: 'not possible' } as const;

function blockLabel({ questions }: ResultFacts): string {
  if (questions.some(({ ask }) => ask === 'approval')) return 'waits for your approval';
  if (questions.some(({ ask = 'answer' }) => ask === 'answer')) return 'waits for your answer';
  return questions.length === 0 ? 'paused' : 'waits';
}

function describeBlock({ questions, run }: ResultFacts): string {
  const [first] = questions;
  if (first === undefined) return '';
  const id = questions.length === 1 ? run : first.id;
  const hint =
    first.ask === 'approval' ? ` (oka approve ${id})` : first.ask === 'answer' ? ` (oka answer ${id} "…")` : '';
  return `${toOneLine(first.text, MOST_REASON)}${hint}`;
}

/** A reason can be many lines of output; the first one names the problem, and the page has the rest. */
function firstSentence(reason: string): string {
  const lines = reason.split('\n').filter((line) => line.trim() !== '');
  const [first = '', second = ''] = lines;
  return toOneLine(first.endsWith(':') ? `${first} ${second}` : first, MOST_REASON);
}
