/**
 * Owns: publishing an answer word by word, for whoever talks with the agent that writes it.
 *
 * 1. What is published of a line is always the beginning of the redacted line: the line so far is redacted as a whole,
 *    also where it may end in the middle of a value, and only what follows from that is published.
 * 2. Where redaction has to change what was published already, the rest of the line is not published; the settled
 *    message has it.
 */
import type { Redact } from '../../core/schema/ports.ts';

/** Takes a chunk of an answer and returns what may be published now. */
export type WordStream = (chunk: string) => string;

/** Redaction expects truncated values only in texts that are longer than this. */
const PADDING = ' '.repeat(300);
/** The beginning of a word that is published before its end has come: too short to reveal a value. */
const SHORT_WORD = /^\p{L}{1,5}$/u;
/** A line that is longer is continued as a new one. */
const LONGEST_LINE = 4000;

export function openWordStream(redact: Redact): WordStream {
  let line = '';
  let published = '';
  const redacted = (text: string): string => redact(PADDING + text).slice(PADDING.length);

  /** What of the line so far has not been published yet. */
  function nextOf(safe: string): string {
    const clean = redacted(safe);
    if (!clean.startsWith(published)) return '';
    const next = clean.slice(published.length);
    published = clean;
    return next;
  }

  return (chunk) => {
    let out = '';
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      line += part;
      const isComplete = index < parts.length - 1 || line.length > LONGEST_LINE;
      out += nextOf(isComplete ? line : safePart(line));
      if (!isComplete) continue;
      [line, published] = ['', ''];
      if (index < parts.length - 1) out += '\n';
    }
    return out;
  };
}

/** The line up to its last space. Its first word is not waited for while it is short, so that an answer begins at once. */
function safePart(line: string): string {
  const end = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t')) + 1;
  return end === 0 && SHORT_WORD.test(line) ? line : line.slice(0, end);
}
