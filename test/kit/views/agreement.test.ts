/**
 * The engine decides by its own fold of a run, people look at another: whatever the graph, the tools, the planner, the
 * people and the moment of a crash, after every event the two say the same of a run.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/engine/decide.ts';
import { applyEvent, runFromStart } from '../../../src/core/engine/fold-run.ts';
import { isOver, type RunState } from '../../../src/core/engine/run-state.ts';
import type { Goal } from '../../../src/core/ledger/goal.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import { taskGraph } from '../../../src/core/ledger/task-graph.ts';
import { views } from '../../../src/kit/views/room.ts';
import { type RunRow, storedRun } from '../../../src/kit/views/run-rows.ts';
import { statusForPeople } from '../../../src/kit/views/run-status.ts';
import { listRuns } from '../../../src/kit/views/runs-query.ts';
import { listWaiting } from '../../../src/kit/views/waiting-query.ts';
import { playScenario, type Story } from '../../support/engine-playback.ts';
import { scenarios, toolNames } from '../../support/engine-scenario.ts';
import { handledScenarios } from '../../support/handled-scenario.ts';
import { timesOf } from '../../support/thorough.ts';

const parameters = {
  numRuns: Number(process.env['RUNS'] ?? timesOf(150, 15)),
  seed: Number(process.env['SEED'] ?? 20_261_115),
};

describe('what people look at', { timeout: 120_000 }, () => {
  it('agrees with what the engine decides by, after every event', async () => {
    const property = fc.asyncProperty(scenarios({}, toolNames, 'accepting'), async (scenario) =>
      assertAgreement(await playScenario(scenario)),
    );
    await fc.assert(property, parameters);
  });

  it('agrees also where nodes ask models and people, and errors are handled', async () => {
    const property = fc.asyncProperty(handledScenarios(), async (scenario) =>
      assertAgreement(await playScenario(scenario)),
    );
    await fc.assert(property, { ...parameters, numRuns: Number(process.env['RUNS'] ?? timesOf(150, 10)) });
  });
});

type Shown = { status: string; nodes: Record<string, string>; waits: string[] };

async function assertAgreement({ lives, planFor, tools }: Story): Promise<void> {
  const runs = new Map<string, RunState>();
  const rows = memoryRows();
  const folds = (await views.views?.()) ?? [];
  let graph = taskGraph.initial();
  for (const event of lives.at(-1)?.events ?? []) {
    graph = taskGraph.apply(graph, event);
    for (const view of folds) view.take({ event, text: () => null }, rows);
    const id = event.run ?? '';
    const before = runs.get(id);
    const run =
      event.type === 'run.started'
        ? runFromStart(await planFor(event.data.graph.sha256), event)
        : before && applyEvent(before, event);
    if (run == null) continue;
    runs.set(id, run);
    const goal = [...graph.goals, ...graph.ended].findLast((each) => each.run === id);
    const row = storedRun(rows, id);
    const isDeciding = run.restarted.length > 0 || decide(run, (name) => tools.get(name)).length > 0;
    const byEngine = { seq: event.seq, ...shownByEngine(run, isDeciding) };
    expect({ seq: event.seq, ...(goal && shownByGoal(goal, isDeciding)) }).toEqual(byEngine);
    expect({ seq: event.seq, ...(row && shownByGoal(row, isDeciding)) }).toEqual(byEngine);
    expect(spentIn(row)).toEqual({ tokens: run.spent.tokens, calls: run.spent.tool_calls });
  }
  const open = [...runs.values()].filter(({ status }) => !isOver(status)).flatMap(({ waits }) => [...waits.keys()]);
  expect(listWaiting(rows).map(({ wait }) => wait)).toEqual(expect.arrayContaining(open));
  expect(listWaiting(rows)).toHaveLength(open.length);
  const rowOf = (id: string): RunRow => storedRun(rows, id) ?? expect.fail(`no row of ${id}`);
  for (const id of runs.keys()) {
    const status = statusForPeople(rows, rowOf(id));
    expect(listRuns(rows, { all: true, limit: 0, status }).map(({ run }) => run)).toContain(id);
  }
}

function spentIn(row: RunRow | undefined): object {
  return { tokens: row?.spent.tokens, calls: row?.spent.calls };
}

/** While the engine has something to decide, what it decided last is not all written down. */
function shownByEngine(run: RunState, isDeciding: boolean): Shown {
  return {
    status: isDeciding ? 'deciding' : run.status,
    nodes: isDeciding
      ? {}
      : Object.fromEntries(run.plan.graph.nodes.map(({ id }, index) => [id, run.nodes[index]?.status ?? ''])),
    waits: isOver(run.status) ? [] : [...run.waits.keys()],
  };
}

function shownByGoal({ status, nodes, waits }: Pick<Goal, 'status' | 'nodes' | 'waits'>, isDeciding: boolean): Shown {
  return {
    status: isDeciding ? 'deciding' : status,
    nodes: isDeciding ? {} : Object.fromEntries(nodes.map((node) => [node.id, node.status])),
    waits: waits.map(({ wait }) => wait),
  };
}
