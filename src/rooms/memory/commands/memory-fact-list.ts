import { listFacts } from '../facts-query.ts';
import type { Fact } from '../../../core/schema/memory.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Options = { namespace: string | undefined; all: boolean };
type Data = { facts: Fact[] };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  await requireHome(call.home);
  return answer({ facts: await readViews(call, (rows) => listFacts(rows, call.options, Date.now())) });
}

export function render({ facts }: Data, terminal: Terminal): string {
  if (facts.length === 0) return 'No facts are known.\n';
  const style = terminal.dim;
  return renderColumns(
    facts,
    [
      { text: ({ id }) => id, width: 16, style },
      { text: ({ namespace }) => namespace, width: 12, style },
      { text: ({ importance }) => importance.toFixed(2), style },
      { text: ({ text }) => text, grows: true },
    ],
    terminal,
  );
}
