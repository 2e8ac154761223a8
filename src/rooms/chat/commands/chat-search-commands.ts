/** Searching all conversations. */
import { searchMessages } from '../model/chat-queries.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { wordsIn } from '../../../core/schema/text-words.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { number, text } from '../../../kit/cli/options.ts';

type Data = { found: { conversation: string; message: ChatMessage }[] };

export const commands: Commands = {
  'chat search': command({
    summary: 'Find messages that have all of these words',
    operands: '<words>',
    options: {
      in: text('CONVERSATION', 'Only in this conversation.'),
      limit: number('N', 'At most this many; 50 unless given.'),
    },
    example: 'oka chat search hotel graz',
    run: chatSearch,
    render: ({ found }, terminal) => {
      if (found.length === 0) return 'No message has all of these words.\n';
      return renderColumns(
        found,
        [
          { text: ({ message }) => message.id, style: terminal.dim },
          { text: ({ message }) => terminal.toMinute(message.at), style: terminal.dim },
          { text: ({ conversation }) => conversation, style: terminal.bold },
          { text: ({ message }) => message.from },
          { text: ({ message }) => message.content, grows: true },
        ],
        terminal,
      );
    },
    jsonLines: ({ found }) =>
      found.map(({ conversation, message: { id, at, from, content, depth, run: by } }) => ({
        conversation,
        id,
        at,
        from,
        content,
        depth,
        run: by,
      })),
  }),
};

async function chatSearch(call: Call<{ in: string | undefined; limit: number | undefined }>): Promise<Answer<Data>> {
  const { home, operands, options } = call;
  await requireHome(home);
  const words = operands.flatMap((each) => wordsIn(each));
  if (words.length === 0) throw new OkaError('usage', 'say which words the messages have');
  const found = await readViews(call, (rows) =>
    searchMessages(rows, words, { named: options.in, limit: options.limit }),
  );
  return answer({ found });
}
