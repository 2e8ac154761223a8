/**
 * Owns: showing an answer while it is written. Complete lines are printed for good, the line in progress is drawn below
 * them, and the settled message adds what is missing.
 *
 * 1. One answer is shown at a time; another one that is written meanwhile is printed when it is complete.
 * 2. The text of the settled message is shown completely, whatever the stream has left out.
 */
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { Words } from './follow-chat.ts';
import { terminalText } from './terminal-text.ts';
import { textWidth, wrapColumns } from './text-width.ts';

type StreamedWords = {
  /** Takes words, and returns what is to be printed for good. */
  add: (words: Words, columns: number) => string;
  /** Whether an answer is being written. */
  isWriting: () => boolean;
  /** The line in progress. */
  lineInProgress: () => string;
  /** Prints the line in progress for good, since something else is printed now. */
  flush: () => string;
  /** What is to be printed for a settled message. */
  settle: (message: ChatMessage) => string;
};

type Current = {
  run: string;
  /** What the model has written in this turn, and how much of that was printed. */
  text: string;
  printed: number;
  isTurnOver: boolean;
  /** Whether the empty line behind the answer was printed already. */
  isSpaced: boolean;
};

/** `title` is the line above an answer. */
export function openStreamedWords(title: (agent: string) => string): StreamedWords {
  let current: Current | null = null;
  /** Answers that were streamed to their end before their message was read, by run. */
  const ended = new Map<string, Current>();

  function start(words: Words): string {
    if (current !== null && !current.isTurnOver) return '';
    const isSameRun = current?.run === words.run;
    const before = flush();
    if (current !== null && !isSameRun) ended.set(current.run, current);
    current = { run: words.run, text: '', printed: 0, isTurnOver: false, isSpaced: false };
    return before + (isSameRun ? '' : title(words.agent));
  }

  function flush(): string {
    if (current === null) return '';
    const rest = current.text.slice(current.printed).trimEnd();
    current.printed = current.text.length;
    const isEnd = current.isTurnOver && !current.isSpaced;
    current.isSpaced ||= isEnd;
    return `${rest === '' ? '' : `${rest}\n`}${isEnd ? '\n' : ''}`;
  }

  function settleStreamed({ text, printed, isSpaced }: Current, content: string): string {
    if (!content.startsWith(text.trimEnd())) return `${flush()}${content}\n\n`;
    const rest = content.slice(printed);
    return `${rest === '' ? '' : `${rest}\n`}${isSpaced ? '' : '\n'}`;
  }

  return {
    isWriting: () => current?.isTurnOver === false,
    lineInProgress: () => current?.text.slice(current.printed) ?? '',
    flush,
    add: (words, columns) => {
      if (current !== null && current.run !== words.run && !current.isTurnOver) return '';
      if ('end' in words) {
        if (current?.run === words.run) current.isTurnOver = true;
        return '';
      }
      const begun = start(words);
      if (current === null) return begun;
      current.text += terminalText(words.text);
      const { rows, taken } = completeRows(current.text.slice(current.printed), columns);
      current.printed += taken;
      return begun + rows.map((row) => `${row}\n`).join('');
    },
    settle: (message) => {
      const content = terminalText(message.content).trimEnd();
      const before = ended.get(message.run ?? '');
      ended.delete(message.run ?? '');
      if (before !== undefined && content === before.text.trimEnd()) return '';
      if (current === null || current.run !== message.run) return `${flush()}${title(message.from)}${content}\n\n`;
      const rest = settleStreamed(current, content);
      current = null;
      return rest;
    },
  };
}

/** Lines that are complete, and rows of a longer one, broken at a space where there is one. */
function completeRows(text: string, columns: number): { rows: string[]; taken: number } {
  const rows: string[] = [];
  let taken = 0;
  for (;;) {
    const rest = text.slice(taken);
    const end = rest.indexOf('\n');
    const line = end === -1 ? rest : rest.slice(0, end);
    if (textWidth(line) >= columns) {
      const row = wrapColumns(line, columns - 1)[0] ?? '';
      const space = row.lastIndexOf(' ');
      const cut = space > 0 ? space : row.length;
      rows.push(row.slice(0, cut));
      taken += space > 0 ? cut + 1 : cut;
    } else if (end === -1) return { rows, taken };
    else {
      rows.push(line);
      taken += end + 1;
    }
  }
}
