import { type StateRow, stateChanges } from '../../../kit/views/state-view.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphIdOf } from '../../../kit/cli/graph-name.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { describeValue, describeWriter } from '../state-value.ts';

type Data = { graph: string; changes: StateRow[] };

export async function run(call: Call<{ limit: number }>): Promise<Answer<Data>> {
  assertNoMore(call.operands, 2);
  const [name, key] = call.operands;
  const graph = await graphIdOf(name, call);
  const query = { limit: call.options.limit, ...(key === undefined ? {} : { key }) };
  return answer({ graph, changes: await readViews(call, (rows) => stateChanges(rows, graph, query)) });
}

export function render({ graph, changes }: Data, terminal: Terminal): string {
  if (changes.length === 0) return `Nothing was ever written for ${graph}.\n`;
  return renderColumns(
    changes,
    [
      { text: ({ at }) => terminal.toMinute(at), style: terminal.dim },
      { text: ({ key }) => key, style: terminal.bold },
      { text: describeValue, grows: true },
      { text: describeWriter, style: terminal.dim },
    ],
    terminal,
  );
}
