/** The line on the console when a task ends or waits: its outcome, by its title. */
import { toOneLine } from '../../../core/schema/one-line.ts';
import type { ResultFacts } from '../../../kit/runs/result-content.ts';
import { shortReason } from './result-reason.ts';

const MOST_TITLE = 120;
const MOST_REASON = 200;

export function resultLine(facts: ResultFacts): string {
  const { verdict, title } = facts;
  const name = toOneLine(title, MOST_TITLE) || 'Untitled task';
  const about = describeOutcome(facts);
  const label = verdict === 'blocked' ? blockLabel(facts) : LABELS[verdict];
  return `${label}: ${name}${about === '' ? '' : `: ${about}`}`;
}

const LABELS = {
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
  rework: 'not done',
  impossible: 'not possible',
  paused: 'paused',
  running: 'stopped',
} as const;

function describeOutcome(facts: ResultFacts): string {
  switch (facts.verdict) {
    case 'done':
    case 'cancelled':
      return '';
    case 'running':
      return 'it continues at the next start';
    case 'paused':
      return `oka resume ${facts.run} continues it`;
    case 'blocked':
      return describeBlock(facts);
    case 'failed':
    case 'rework':
    case 'impossible':
      return shortReason(facts, MOST_REASON);
  }
}

function blockLabel({ questions }: ResultFacts): string {
  if (questions.some(({ ask }) => ask === 'approval')) return 'waits for your approval';
  return questions.some(({ ask = 'answer' }) => ask === 'answer') ? 'waits for your answer' : 'waits';
}

function describeBlock({ questions, run }: ResultFacts): string {
  const [first] = questions;
  if (first === undefined) return '';
  const id = questions.length === 1 ? run : first.id;
  const hint =
    first.ask === 'approval' ? ` (oka approve ${id})` : first.ask === 'answer' ? ` (oka answer ${id} "…")` : '';
  return `${toOneLine(first.text, MOST_REASON)}${hint}`;
}
