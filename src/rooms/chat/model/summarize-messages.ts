/**
 * Owns: a summary of older messages, made by rules: what people asked for and decided, and what agents said they decided
 * or did. The same messages always give the same summary, and it is bounded.
 */
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

const MOST_LINES = 40;
const LONGEST_LINE = 160;
/** Words with which people and models mark a decision or a result. */
const DECISION =
  /\b(decid\w*|agree\w*|let's|we (?:will|should)|must|never|always|done|finished|result|because|conclu\w*|use\b|entschied\w*|beschloss\w*|wir (?:nehmen|machen)|fertig)/i;

/** One line a message that matters, the latest ones when there are many. */
export function summarizeMessages(messages: readonly ChatMessage[]): string {
  const lines = messages.flatMap((message) => {
    const line = decisionIn(message);
    return line === null ? [] : [`${message.id} ${message.from}: ${line}`];
  });
  const shown = lines.slice(-MOST_LINES);
  const left = lines.length - shown.length;
  return [...(left === 0 ? [] : [`(${left} earlier lines)`]), ...shown].join('\n');
}

function decisionIn({ kind, content }: ChatMessage): string | null {
  if (kind === 'system') return null;
  const sentences = content.slice(0, 8000).split(/(?<=[.!?])\s+|\n+/);
  const decided = sentences.find((sentence) => DECISION.test(sentence));
  const chosen = decided ?? (kind === 'person' ? sentences[0] : undefined);
  const line = chosen === undefined ? '' : toOneLine(chosen, LONGEST_LINE);
  return line === '' ? null : line;
}
