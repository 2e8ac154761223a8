/**
 * Owns: the replies that are being written while somebody follows a conversation, as lines below its messages. They are
 * drawn over as words come, and gone when the message is there.
 */
import type { Terminal } from '../../../kit/cli/io.ts';
import type { Words } from './follow-chat.ts';
import { terminalText } from './terminal-text.ts';
import { wrapColumns } from './text-width.ts';

const MOST_TEXT = 4000;
const MOST_ROWS = 3;

type LiveWords = {
  take: (words: Words) => void;
  /** The message of the run is there. */
  settle: (run: string | null) => void;
  clear: () => void;
  /** A line that names the agent, and the last rows of what it is writing. */
  lines: (terminal: Pick<Terminal, 'width' | 'dim'>) => string[];
};

export function openLiveWords(): LiveWords {
  const writing = new Map<string, { agent: string; text: string; isTurnOver: boolean }>();
  return {
    take: (words) => {
      const { agent, run } = words;
      const known = writing.get(run) ?? { agent, text: '', isTurnOver: false };
      if ('end' in words) writing.set(run, { ...known, isTurnOver: true });
      else {
        const text = ((known.isTurnOver ? '' : known.text) + terminalText(words.text)).slice(-MOST_TEXT);
        writing.set(run, { agent, text, isTurnOver: false });
      }
    },
    settle: (run) => void writing.delete(run ?? ''),
    clear: () => writing.clear(),
    lines: ({ width, dim }) =>
      [...writing.values()]
        .filter(({ text }) => text.trim() !== '')
        .flatMap(({ agent, text }) => [
          dim(`${terminalText(agent)} is writing:`),
          ...text
            .trimEnd()
            .split('\n')
            .slice(-MOST_ROWS)
            .flatMap((line) => wrapColumns(line, width - 3))
            .slice(-MOST_ROWS)
            .map((row) => dim(`  ${row}`)),
        ]),
  };
}
