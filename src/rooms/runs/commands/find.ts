import { viewFolds } from '../../../kit/house/open-views.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { SearchAnswer } from '../../../core/schema/view-answers.ts';
import { search } from '../../../kit/views/search-query.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';

const MOST_HITS = 1000;

export async function run(call: Call<{ limit: number }>): Promise<Answer<SearchAnswer>> {
  const { home, signal, rooms, options, operands } = call;
  const text = operands.join(' ');
  if (text === '') throw new OkaError('usage', 'a text to search for is missing');
  const { folds: views } = await viewFolds(rooms);
  const query = { text, limit: options.limit === 0 ? MOST_HITS : Math.min(options.limit, MOST_HITS) };
  return answer(await readViews(call, (rows) => search(rows, { views, ledgers: home.ledgers, signal }, query)));
}

export function render({ hits, complete }: SearchAnswer, terminal: Terminal): string {
  const { dim } = terminal;
  const more = complete ? '' : dim('Older events were left out: more or rarer words find them.\n');
  if (hits.length === 0) return `Nothing was found.\n${more}`;
  const lines = renderColumns(
    hits,
    [
      { text: ({ at }) => terminal.toMinute(at), style: dim },
      { text: ({ kind }) => kind },
      { text: ({ text }) => text, grows: true },
      { text: ({ kind, name, run: id }) => (kind === 'event' ? (id ?? name) : name), style: dim },
    ],
    terminal,
  );
  return `${lines}${more}`;
}
