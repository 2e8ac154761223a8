/** Runs of a graph, and what graphs remember between them. */
import { priorRuns } from '../prior-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type PriorRun, PriorRunsQuery } from '../../../core/schema/prior-run.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphAndKey, graphIdOf } from '../../../kit/cli/graph-name.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { currentState, currentValue, stateChanges } from '../../../kit/views/state-view.ts';
import { completeValue, describeValue, describeWriter } from '../state-value.ts';
import { jsonOperand } from '../../../kit/cli/operands.ts';
import { readEvents } from '../../../core/ledger/read-events.ts';
import type { Event } from '../../../core/schema/event.ts';
import { type Checkpoint, checkpointsOf } from '../../../kit/views/checkpoints.ts';
import { runsOfGraph } from '../../../kit/views/graph-run-view.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { choice, numberOr, text } from '../../../kit/cli/options.ts';
import { Intake } from '../../../core/schema/intake.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';

type StateIntake = Extract<Intake, { kind: 'state' }>;

type Options = { status: PriorRun['status'] | undefined };

type RunsData = { graph: string; runs: PriorRun[] };

type CheckpointsData = { graph: string; run: string; checkpoints: Checkpoint[] };

export const commands: Commands = {
  'graph runs': command({
    summary: 'List the runs of a graph, the latest first, with what each gave',
    operands: '<graph> [limit]',
    options: {
      status: choice(
        ['done', 'failed', 'cancelled', 'running', 'blocked', 'paused'],
        'STATUS',
        'Only runs with this status.',
      ),
    },
    example: 'oka graph runs price-watch 5 --status failed',
    run: graphRuns,
    render: ({ graph, runs }, terminal) => {
      const { dim, green, red, yellow } = terminal;
      if (runs.length === 0) return `${graph} has not run yet.\n`;
      return renderColumns(
        runs,
        [
          { text: ({ started }) => terminal.toMinute(started), style: dim },
          {
            text: ({ status }) => status,
            style: (text, { status }) =>
              status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text),
          },
          { text: ({ status, output, reason }) => (status === 'done' ? JSON.stringify(output) : reason), grows: true },
          { text: ({ run: id }) => id, style: dim },
        ],
        terminal,
      );
    },
  }),
  'graph state show': command({
    summary: 'Show everything that a graph remembers',
    operands: '<graph>',
    example: 'oka graph state show price-watch',
    run: async (call) => {
      assertNoMore(call.operands, 1);
      const graph = await graphIdOf(call.operands[0], call);
      return answer({ graph, values: await readViews(call, (rows) => currentState(rows, graph)) });
    },
    render: ({ graph, values }, terminal) => {
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
    },
  }),
  'graph state get': command({
    summary: 'Print one value that a graph remembers; exit 1 if there is none',
    operands: '<graph> <key>',
    example: 'oka graph state get price-watch price',
    run: async (call) => {
      const { graph, key } = await graphAndKey(call);
      const row = await readViews(call, (rows) => currentValue(rows, graph, key));
      const value = row === undefined ? null : await completeValue(call.home, row);
      return answer({ graph, key, found: row !== undefined, value }, row === undefined ? exits.no : exits.ok);
    },
    render: ({ graph, key, found, value }) =>
      found ? `${JSON.stringify(value, null, 2)}\n` : `${graph} has no value for "${key}".\n`,
  }),
  'graph state set': command({
    summary: 'Change a value that a graph remembers',
    operands: '<graph> <key> <json>',
    options: { expect: text('JSON', 'Only if this is the value that is there; null = none.') },
    example: 'oka graph state set price-watch price 12.5',
    run: async (call) => {
      assertNoMore(call.operands, 3);
      const [name, key, given] = call.operands;
      const graph = await graphIdOf(name, call);
      if (key === undefined || given === undefined)
        throw new OkaError('usage', 'the key or the value is missing', {
          fix: `Such as: oka graph state set ${graph} price 12.5`,
        });
      const value = jsonOperand(given, 'the value');
      const { expect } = call.options;
      const expected = expect === undefined ? {} : { expect: jsonOperand(expect, '--expect') };
      await requestStateChange(call, { namespace: graph, key, value, ...expected });
      return answer({ graph, key, value, written: true });
    },
    render: ({ graph, key }) => `${graph} remembers "${key}".\n`,
  }),
  'graph state delete': command({
    summary: 'Remove a value that a graph remembers; exit 1 if there is none',
    operands: '<graph> <key>',
    example: 'oka graph state delete price-watch price',
    run: async (call) => {
      const { graph, key } = await graphAndKey(call);
      const deleted = await requestStateChange(call, { namespace: graph, key });
      return answer({ graph, key, deleted }, deleted ? exits.ok : exits.no);
    },
    render: ({ graph, key, deleted }) =>
      deleted ? `${graph} no longer remembers "${key}".\n` : `${graph} has no value for "${key}".\n`,
  }),
  'graph state history': command({
    summary: 'List the changes of what a graph remembers, and who made each',
    operands: '<graph> [key]',
    options: { limit: numberOr(20, 'N', 'How many of the last to show (default 20; 0 = all).') },
    example: 'oka graph state history price-watch price',
    run: async (call) => {
      assertNoMore(call.operands, 2);
      const [name, key] = call.operands;
      const graph = await graphIdOf(name, call);
      const query = { limit: call.options.limit, ...(key === undefined ? {} : { key }) };
      return answer({ graph, changes: await readViews(call, (rows) => stateChanges(rows, graph, query)) });
    },
    render: ({ graph, changes }, terminal) => {
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
    },
  }),
  'graph state checkpoints': command({
    summary: 'Show what was known after each node of a run (default: the last run)',
    operands: '<graph> [run]',
    example: 'oka graph state checkpoints price-watch',
    run: graphStateCheckpoints,
    render: ({ run: id, checkpoints }, terminal) => {
      const { bold, dim, green, red, yellow } = terminal;
      if (checkpoints.length === 0) return `No node of ${id} has ended yet.\n`;
      const table = renderColumns(
        checkpoints,
        [
          { text: ({ at }) => terminal.toMinute(at), style: dim },
          {
            text: ({ status }) => status,
            style: (text, { status }) =>
              status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text),
          },
          { text: ({ node }) => node, style: bold },
          { text: ({ output }) => JSON.stringify(output), grows: true },
          { text: ({ state }) => (state === undefined ? '' : `remembers ${state.key}`), style: dim },
        ],
        terminal,
      );
      return `${dim(`Run ${id}`)}\n${table}`;
    },
  }),
};

async function graphRuns(call: Call<Options>): Promise<Answer<RunsData>> {
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

async function graphStateCheckpoints(call: Call): Promise<Answer<CheckpointsData>> {
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

/** Whether there was anything to change. */
async function requestStateChange(
  call: Pick<Call, 'home' | 'signal' | 'notify'>,
  change: Omit<StateIntake, 'kind' | 'by'>,
): Promise<boolean> {
  return ((await carryOut(call, checkedIntake(change))) as { changed: boolean }).changed;
}

function checkedIntake(change: Omit<StateIntake, 'kind' | 'by'>): StateIntake {
  const read = Intake.safeParse({ kind: 'state', ...change, by: operatorName() });
  if (read.success && read.data.kind === 'state') return read.data;
  const [issue] = read.error?.issues ?? [];
  throw new OkaError('usage', `the state cannot be changed: ${issue?.path.join('.')}: ${issue?.message}`);
}
