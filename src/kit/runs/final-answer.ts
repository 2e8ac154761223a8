/** Owns: finding the final answer of a worker in the events of the run of its steps. Pure. */
import { formatOutput } from '../text/prompt-text.ts';
import type { Event } from '../../core/schema/event.ts';

/** What the last steps answered, those that no other step needs; null when no worker had a turn. */
function finalAnswerIn(events: readonly Event[]): string | null {
  const answers = new Map<string, string>();
  const needed = new Set<string>();
  for (const event of events) {
    if (event.type === 'run.started') for (const { needs } of event.data.nodes) for (const id of needs) needed.add(id);
    if (event.type === 'decision.made' && event.data.decision.kind === 'Finish') {
      answers.delete(event.data.node);
      answers.set(event.data.node, formatOutput(event.data.decision.output).trim());
    }
  }
  const last = [...answers].filter(([node]) => !needed.has(node)).map(([, text]) => text);
  if (answers.size === 0) return null;
  return (last.length > 0 ? last : [[...answers.values()].at(-1) ?? '']).filter((text) => text !== '').join('\n\n');
}

/**
 * The answer of a task that was planned several times: the last one, if its attempt gave one, else the latest of an earlier
 * attempt to which nobody has objected. `reasons` say of each attempt but the last why it was not enough.
 */
export function answerThatStands(attempts: readonly (readonly Event[])[], reasons: readonly string[]): string | null {
  const answers = attempts.map(finalAnswerIn);
  const latest = answers.findLastIndex((answer) => answer !== null && answer !== '');
  const isObjectedTo = latest < attempts.length - 1 && OBJECTION.test(reasons[latest] ?? '');
  return latest === -1 || isObjectedTo ? (answers.at(-1) ?? null) : (answers[latest] ?? null);
}

/** A reason that is about the answer itself. */
const OBJECTION = /\banswer|^(?:unbacked|unfinished): |^figure /im;
