import { searchMessages } from '../model/chat-queries.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { wordsIn } from '../../../core/schema/text-words.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { found: { conversation: string; message: ChatMessage }[] };

export async function run(call: Call<{ in: string | undefined; limit: number | undefined }>): Promise<Answer<Data>> {
  const { home, operands, options } = call;
  await requireHome(home);
  const words = operands.flatMap((each) => wordsIn(each));
  if (words.length === 0) throw new OkaError('usage', 'say which words the messages have');
  const found = await readViews(call, (rows) =>
    searchMessages(rows, words, { named: options.in, limit: options.limit }),
  );
  return answer({ found });
}

export const jsonLines = ({ found }: Data): object[] =>
  found.map(({ conversation, message: { id, at, from, content, depth, run: by } }) => ({
    conversation,
    id,
    at,
    from,
    content,
    depth,
    run: by,
  }));

export function render({ found }: Data, terminal: Terminal): string {
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
}
