import { readEvents } from '../../../core/ledger/read-events.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import { type Checkpoint, checkpointsOf } from '../../../kit/views/checkpoints.ts';
import { runsOfGraph } from '../../../kit/views/graph-run-view.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphIdOf } from '../../../kit/cli/graph-name.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';

type Data = { graph: string; run: string; checkpoints: Checkpoint[] };

export async function run(call: Call): Promise<Answer<Data>> {
  assertNoMore(call.operands, 2);
  const [name, wanted] = call.operands;
  const graph = await graphIdOf(name, call);
  const row = await readViews(call, (rows) =>
    wanted === undefined ? runsOfGraph(rows, { graph, limit: 1 })[0] : storedRun(rows, wanted),
  );
  if (row === undefined || row.graph !== graph)
    throw new OkaError(
      'no-such-run',
      wanted === undefined ? `${graph} has not run yet` : `${graph} has no run "${wanted}"`,
    );
  const events: Event[] = [];
  for await (const event of readEvents(call.home.ledgers.run, { run: row.run, from: row.first, to: row.last }))
    events.push(event);
  return answer({ graph, run: row.run, checkpoints: checkpointsOf(events) });
}

export function render({ run: id, checkpoints }: Data, terminal: Terminal): string {
  const { bold, dim, green, red, yellow } = terminal;
  if (checkpoints.length === 0) return `No node of ${id} has ended yet.\n`;
  const table = renderColumns(
    checkpoints,
    [
      { text: ({ at }) => terminal.toMinute(at), style: dim },
      {
        text: ({ status }) => status,
        style: (text, { status }) => (status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text)),
      },
      { text: ({ node }) => node, style: bold },
      { text: ({ output }) => JSON.stringify(output), grows: true },
      { text: ({ state }) => (state === undefined ? '' : `remembers ${state.key}`), style: dim },
    ],
    terminal,
  );
  return `${dim(`Run ${id}`)}\n${table}`;
}
