/** What the operator added while a task was worked on, as prompts show it: words of the operator, like the task itself. */
import { escapeInvisible } from '../../core/schema/one-line.ts';
import { byteLength, truncateText } from '../text/prompt-text.ts';

const LEAST_NOTE = 40;

/** The latest notes, when there is no room for all; empty without any. */
export function formatOperatorNotes(head: string, notes: readonly string[], room: number): string {
  const shown: string[] = [];
  let left = room;
  for (const note of notes.toReversed()) {
    const line = `- ${truncateText(escapeInvisible(note), Math.max(0, left))}`;
    if (left < LEAST_NOTE) break;
    shown.unshift(line);
    left -= byteLength(line) + 1;
  }
  return shown.length === 0 ? '' : `${head}\n${shown.join('\n')}`;
}
