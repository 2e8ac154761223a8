import { currentState, type StateRow } from '../../../kit/views/state-view.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphIdOf } from '../../../kit/cli/graph-name.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { describeValue, describeWriter } from '../state-value.ts';

type Data = { graph: string; values: StateRow[] };

export async function run(call: Call): Promise<Answer<Data>> {
  assertNoMore(call.operands, 1);
  const graph = await graphIdOf(call.operands[0], call);
  return answer({ graph, values: await readViews(call, (rows) => currentState(rows, graph)) });
}

export function render({ graph, values }: Data, terminal: Terminal): string {
  if (values.length === 0) return `${graph} remembers nothing.\n`;
  return renderColumns(
    values,
    [
      { text: ({ key }) => key, style: terminal.bold },
      { text: describeValue, grows: true },
      { text: ({ at }) => terminal.toMinute(at), style: terminal.dim },
      { text: describeWriter, style: terminal.dim },
    ],
    terminal,
  );
}
