import { priorRuns } from '../prior-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type PriorRun, PriorRunsQuery } from '../../../core/schema/prior-run.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphIdOf } from '../../../kit/cli/graph-name.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';

type Options = { status: PriorRun['status'] | undefined };
type Data = { graph: string; runs: PriorRun[] };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  assertNoMore(call.operands, 2);
  const [name, most = '10'] = call.operands;
  const graph = await graphIdOf(name, call);
  if (!/^[1-9]\d{0,5}$/.test(most)) throw new OkaError('usage', `the limit is a whole number, not "${most}"`);
  const { status } = call.options;
  const query = {
    ...PriorRunsQuery.parse({ graph, ...(status === undefined ? {} : { status }) }),
    limit: Number(most),
  };
  const runs = await priorRuns(call.home, (read) => readViews(call, read), query);
  return answer({ graph, runs: runs as PriorRun[] });
}

export function render({ graph, runs }: Data, terminal: Terminal): string {
  const { dim, green, red, yellow } = terminal;
  if (runs.length === 0) return `${graph} has not run yet.\n`;
  return renderColumns(
    runs,
    [
      { text: ({ started }) => terminal.toMinute(started), style: dim },
      {
        text: ({ status }) => status,
        style: (text, { status }) => (status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text)),
      },
      { text: ({ status, output, reason }) => (status === 'done' ? JSON.stringify(output) : reason), grows: true },
      { text: ({ run: id }) => id, style: dim },
    ],
    terminal,
  );
}
