/**
 * Owns: taking instructions out of episodes. An instruction is in a pack as a fact, with its current state, or not at all:
 * the task in which it was once said would show one that was replaced since, or that is for another project, as if it
 * still held; and what other people and programs demanded is no background of a task.
 */
import { parseStatement } from '../distil/parse-statement.ts';
import { extractTerms } from '../../../kit/text/terms.ts';

type EpisodeText = { text: string; at: string };

/** The end of a sentence, but not of "Dr." or "e.g.". */
const BREAK = /(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|no|nr|z\.b|d\.h|ca|mr|mrs|ms|dr|st)\.)\s+|\n+/i;
/** How an answer to a question is stored. */
const ANSWER = /^(?:answered|approved|denied): /;
const LEAST_TERMS = 2;

/** The text without the instructions that `isRemoved` names; null when nothing is left that says anything. */
export function withoutInstructions(
  { text, at }: EpisodeText,
  isRemoved: (statement: string) => boolean,
): string | null {
  const sentences = text.split(BREAK);
  const rest = sentences.filter((sentence) => {
    const statement = parseStatement(sentence.replace(ANSWER, '').trim(), at);
    return statement === null || !isRemoved(statement.text);
  });
  if (rest.length === sentences.length) return text;
  const left = rest.join(' ');
  return extractTerms(left).length < LEAST_TERMS ? null : left;
}
