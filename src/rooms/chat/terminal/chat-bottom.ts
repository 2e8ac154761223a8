/** What is drawn at the bottom of a chat: the line that is being streamed, who is doing what, and the input line. */
import type { Terminal } from '../../../kit/cli/io.ts';
import type { Bottom } from './bottom-screen.ts';
import type { ChatFeed, FollowedReply } from './chat-feed.ts';
import { type Draft, layOutDraft } from './draft-editor.ts';
import { type OpenQuestion, questionPrompt } from './open-question.ts';
import { terminalText } from './terminal-text.ts';
import { fitColumns } from './text-width.ts';

type BottomParts = {
  draft: Draft;
  /** The line of an answer that is being written. */
  line: string;
  replies: readonly FollowedReply[];
  state: ReturnType<ChatFeed['state']>;
  question: OpenQuestion | null;
  size: { columns: number; rows: number };
  terminal: Pick<Terminal, 'dim' | 'yellow'>;
};

const MOST_DRAFT_ROWS = 10;

export function bottomRows({ draft, line, replies, state, question, size, terminal }: BottomParts): Bottom {
  const { columns, rows } = size;
  const prompt = question === null ? '› ' : questionPrompt(question);
  const drawn = layOutDraft(draft, prompt, columns - 1, Math.max(1, Math.min(MOST_DRAFT_ROWS, rows - 4)));
  const status = describeReplies(replies, state);
  const above = [
    ...(line === '' ? [] : [fitColumns(line, columns - 1)]),
    ...(status === '' ? [] : [(state === 'paused' ? terminal.yellow : terminal.dim)(fitColumns(status, columns - 1))]),
  ];
  return {
    rows: [...above, ...drawn.rows],
    cursor: { row: above.length + drawn.cursor.row, column: drawn.cursor.column },
  };
}

/** Such as "arya is thinking · bran is queued". */
export function describeReplies(replies: readonly FollowedReply[], state: BottomParts['state']): string {
  const doing = replies.map((reply) => `${reply.agent} ${describeReply(reply)}`);
  return [...(state === 'paused' ? ['paused; /resume goes on'] : []), ...doing].join(' · ');
}

function describeReply({ state, waits_for: other, why }: FollowedReply): string {
  switch (state) {
    case 'waiting for you':
      return 'waits for you';
    case 'waiting for another':
      return `waits for ${terminalText(other ?? 'another')}`;
    case 'waiting for its model':
      return `waits for its model: ${terminalText(why ?? 'it cannot be asked now')}`;
    case 'waiting for the budget':
      return 'waits for the budget of the day';
    case 'queued':
    case 'thinking':
    case 'using a tool':
      return `is ${state}`;
  }
}
