import type { Rows } from '../../../core/schema/rows.ts';
import type { RunSummary } from '../../../core/schema/view-answers.ts';
import { listRuns, pageOfRuns } from '../../../kit/views/runs-query.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readRuns } from '../../../kit/cli/read-one-view.ts';
import { runFilterOf, type RunFilterValues } from '../../../kit/cli/run-filter-options.ts';

type Options = RunFilterValues & { all: boolean; archived: boolean; limit: number };

export async function run(call: Call<Options>): Promise<Answer<RunSummary[]>> {
  const { all, archived, limit } = call.options;
  const query = { ...runFilterOf(call.options), all, ...(archived ? { archived: 'only' as const } : {}) };
  const list = (rows: Rows): RunSummary[] => {
    const { pinned } = pageOfRuns(rows, query);
    const others = listRuns(rows, { ...query, limit }).filter((run) => run.pinned !== true);
    return [...pinned.toReversed(), ...others];
  };
  if (call.options.text === undefined) return answer(await readRuns(call, list));
  return answer(await (await import('../../../kit/cli/read-views.ts')).readViews(call, list));
}

export const jsonLines = (runs: RunSummary[]): RunSummary[] => runs;

export function render(runs: readonly RunSummary[], terminal: Terminal): string {
  const { dim, green, red, yellow } = terminal;
  if (runs.length === 0) return 'No runs to show. Drop a task into workspace/inbox, or: oka add "…"\n';
  return renderColumns(
    runs,
    [
      { text: ({ started }) => terminal.toMinute(started), style: dim },
      {
        text: ({ status }) => status,
        style: (text, { status }) => (status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text)),
      },
      { text: ({ title, pinned }) => (pinned === true ? `★ ${title}` : title), grows: true },
      { text: ({ run }) => run, style: dim },
    ],
    terminal,
  );
}
