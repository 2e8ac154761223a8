import type { RunSummary } from '../../schema/view-answers.ts';
import { listRuns } from '../../views/runs-query.ts';
import { renderColumns } from '../columns.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { readViews } from '../read-views.ts';

export async function run(call: Call<{ all: boolean; limit: number }>): Promise<Answer<RunSummary[]>> {
  return answer(await readViews(call, (rows) => listRuns(rows, { all: call.options.all, limit: call.options.limit })));
}

export const jsonLines = (runs: RunSummary[]): RunSummary[] => runs;

export function render(runs: readonly RunSummary[], terminal: Terminal): string {
  const { dim, green, red, yellow } = terminal;
  if (runs.length === 0) return 'There are no runs yet. Drop a task into workspace/inbox, or: oka add "…"\n';
  return renderColumns(
    runs,
    [
      { text: ({ started }) => terminal.toMinute(started), style: dim },
      {
        text: ({ status }) => status,
        style: (text, { status }) => (status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text)),
      },
      { text: ({ title }) => title, grows: true },
      { text: ({ run }) => run, style: dim },
    ],
    terminal,
  );
}
