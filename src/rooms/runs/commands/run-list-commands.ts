/** Lists of runs. */
import type { Rows } from '../../../core/schema/rows.ts';
import type { RunSummary, SearchAnswer } from '../../../core/schema/view-answers.ts';
import { describeDeskWait } from '../../../kit/views/desk-wait.ts';
import { listRuns, pageOfRuns } from '../../../kit/views/runs-query.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { readRuns } from '../../../kit/cli/read-one-view.ts';
import { runFilterOf, runFilterOptions } from '../../../kit/cli/run-filter-options.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { flag, numberOr } from '../../../kit/cli/options.ts';

const MOST_HITS = 1000;

export const commands: Commands = {
  runs: command({
    summary: 'List the runs, the latest last, pinned ones first; archived runs are left out',
    options: {
      ...runFilterOptions,
      all: flag('Also the runs inside others.'),
      archived: flag('Only archived runs.'),
      limit: numberOr(20, 'N', 'Show the last N (default 20; 0 for all).'),
    },
    example: 'oka runs --status failed --since 7d --min-cost 0.10',
    run: async (call) => {
      const { all, archived, limit } = call.options;
      const query = { ...runFilterOf(call.options), all, ...(archived ? { archived: 'only' as const } : {}) };
      const list = (rows: Rows): RunSummary[] => {
        const { pinned } = pageOfRuns(rows, query);
        const others = listRuns(rows, { ...query, limit }).filter((run) => run.pinned !== true);
        return [...pinned.toReversed(), ...others];
      };
      if (call.options.text === undefined) return answer(await readRuns(call, list));
      return answer(await (await import('../../../kit/cli/read-views.ts')).readViews(call, list));
    },
    render: (runs, terminal) => {
      const { dim, green, red, yellow } = terminal;
      if (runs.length === 0) return 'No runs to show. Drop a task into workspace/inbox, or: oka add "…"\n';
      return renderColumns(
        runs,
        [
          { text: ({ started }) => terminal.toMinute(started), style: dim },
          {
            text: ({ status, desk }) => (desk === undefined ? status : 'waits'),
            style: (text, { status }) =>
              status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text),
          },
          { text: titleOf, grows: true },
          { text: ({ run }) => run, style: dim },
        ],
        terminal,
      );
    },
    jsonLines: (runs) => runs,
  }),
  find: command({
    summary: 'Search runs, questions, facts, procedures and events for words',
    operands: '<words>',
    options: { limit: numberOr(20, 'N', 'Show the best N, the best last (default 20; 0 for up to 1000).') },
    example: 'oka find invoice march',
    run: find,
    render: ({ hits, complete }, terminal) => {
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
    },
  }),
};

const titleOf = ({ title, pinned, desk }: RunSummary): string =>
  `${pinned === true ? '★ ' : ''}${title}${desk === undefined ? '' : `, ${describeDeskWait(desk)}`}`;

async function find(call: Call<{ limit: number }>): Promise<Answer<SearchAnswer>> {
  const { home, signal, rooms, options, operands } = call;
  const text = operands.join(' ');
  if (text === '') throw new OkaError('usage', 'a text to search for is missing');
  const [{ viewFolds }, { search }, { readViews }] = await Promise.all([
    import('../../../kit/house/open-views.ts'),
    import('../../../kit/views/search-query.ts'),
    import('../../../kit/cli/read-views.ts'),
  ]);
  const { folds: views } = await viewFolds(rooms);
  const query = { text, limit: options.limit === 0 ? MOST_HITS : Math.min(options.limit, MOST_HITS) };
  return answer(await readViews(call, (rows) => search(rows, { views, ledgers: home.ledgers, signal }, query)));
}
