/** Owns: the runs that are not over, with the runs inside them folded into one line each. */
import type { Rows } from '../../core/schema/rows.ts';
import type { CurrentRun } from '../../core/schema/view-answers.ts';
import { storedDeskWait } from './desk-wait.ts';
import { openRuns, rowKey, type RunRow } from './run-rows.ts';
import { statusForPeople } from './run-status.ts';

/** In the order in which they began. Reads only what is open, however long history is. */
export function listCurrentRuns(rows: Rows): CurrentRun[] {
  const open = openRuns(rows).flatMap((received) => rows.get<RunRow>(rowKey(received)) ?? []);
  const names = new Set(open.map(({ run }) => run));
  const tops = open.filter(({ run, root }) => root === run || !names.has(root));
  return tops.map((top) =>
    toCurrentRun(
      rows,
      top,
      open.filter(({ run, root }) => root === top.run && run !== top.run),
    ),
  );
}

/** The steps of a task are those of the run that carries out its plan, as long as there is one. */
function toCurrentRun(rows: Rows, top: RunRow, inside: readonly RunRow[]): CurrentRun {
  const { run, title, state, started } = top;
  const working = inside.find(({ parent }) => parent === run) ?? top;
  const current = [...inside.toReversed(), top].flatMap(({ nodes }) => nodes.filter(isActive))[0] ?? null;
  const all = [top, ...inside];
  const sum = (amount: (row: RunRow) => number): number => all.reduce((total, row) => total + amount(row), 0);
  const desk = storedDeskWait(rows, top);
  return {
    run,
    title,
    status: statusForPeople(rows, top),
    state,
    started,
    steps: { done: working.nodes.filter((node) => node.status === 'done').length, all: working.nodes.length },
    current: current?.title ?? null,
    inside: inside.map((each) => each.run),
    ...(desk === null ? {} : { desk }),
    cost: {
      tokens: sum(({ spent }) => spent.tokens),
      usd: sum(({ spent }) => spent.usd),
      calls: sum(({ spent }) => spent.calls),
      failed_calls: sum(({ spent }) => spent.failed_calls),
    },
  };
}

const isActive = ({ status }: RunRow['nodes'][number]): boolean => status === 'running' || status === 'waiting';
