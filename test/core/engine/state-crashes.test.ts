/**
 * Random graphs that remember, stopped at random moments: every write is recorded exactly once, and after a resume a
 * run has the same checkpoints, and leaves the same state, as one that was never stopped.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine/engine.ts';
import { type GraphState, graphState, memoryState } from '../../../src/core/engine/graph-state.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { isOver } from '../../../src/core/engine/run-state.ts';
import { readState } from '../../../src/rooms/graphs/kinds/read-state.ts';
import { writeState } from '../../../src/rooms/graphs/kinds/write-state.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { StateStore } from '../../../src/core/schema/ports.ts';
import type { Tool } from '../../../src/core/schema/tool.ts';
import { stateTools } from '../../../src/rooms/graphs/tools/state-tools.ts';
import { checkpointsOf } from '../../../src/kit/views/checkpoints.ts';
import { crashingEvents } from '../../support/engine-crash.ts';
import { dataOf, fakeTime, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';
import { isThorough, scaled } from '../../support/thorough.ts';

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ kind: fc.constant('read_state'), key, default: fc.constant(0) }),
  fc.record({ kind: fc.constant('write_state'), key, value: fc.constantFrom('{{last}}', { n: '{{last}}' }, 7) }),
  fc.record({ kind: fc.constant('write_state'), key, delete: fc.constant(true) }),
  fc.record({
    kind: fc.constant('write_state'),
    key,
    value: fc.constant(1),
    expect: fc.constantFrom(null, 1, 7),
    on_error: fc.constant('fallback'),
    fallback: fc.constant('taken'),
  }),
  fc.record({
    kind: fc.constant('tool'),
    tool: fc.constant('say'),
    input: fc.constantFrom('{{state.a}}', { b: 'now {{state.b.n}}', last: '{{last}}' }, '{{last}}'),
  }),
);

/** With `isChain` each node needs the one before it: nodes that do not depend on each other have no order of their own. */
const graphs = (isChain: boolean): fc.Arbitrary<Graph> =>
  fc.array(fc.tuple(step, fc.nat(), fc.boolean()), { minLength: 1, maxLength: 6 }).map((steps) => {
    const nodes = steps.map(([fields, one, isFree], index) => {
      const needs = [...(isFree ? [] : [one % Math.max(1, index)]), ...(isChain ? [index - 1] : [])];
      return { ...fields, id: `n${index}`, needs: index === 0 ? [] : [...new Set(needs)].map((need) => `n${need}`) };
    });
    return readGraph({ id: 'g', mode: 'flex', nodes }, [readState, writeState]).graph;
  });

const toolsOver = (state: StateStore): Tool[] => [
  ...stateTools({ read: async (...names) => state.get(...names)?.value, artifacts: memoryArtifacts() }),
  toolNamed('say', (input) => ok(input)),
];

const artifacts = memoryArtifacts();

/** Drives the runs until they are over or the world stops; what was durable then survives. */
async function driveOnce(
  graph: Graph,
  runs: readonly string[],
  survived: readonly Event[],
  steps: number,
): Promise<Event[]> {
  const { clock, sleep } = fakeTime();
  const events = crashingEvents(clock, survived, steps);
  const state = memoryState();
  for (const event of survived) state.note(event);
  const engine = createEngine({ tools: toolsOver(state), clock, sleep, stores: { events, state, artifacts } });
  const drives = runs.map(async (id) => {
    const found = await engine.stateOf(id);
    if (found !== null && isOver(found.status)) return;
    await (await (found === null ? engine.start(graph, { id, input: 5 }) : engine.resume(id))).done;
  });
  await Promise.race([events.crash, Promise.all(drives.map((drive) => drive.catch(() => undefined)))]);
  return events.all.slice(0, events.hasCrashed() ? events.durable() : undefined);
}

async function driveWithCrashes(graph: Graph, runs: readonly string[], crashes: readonly number[]): Promise<Event[]> {
  let events: Event[] = [];
  for (const steps of [...crashes, Number.POSITIVE_INFINITY]) events = await driveOnce(graph, runs, events, steps);
  return events;
}

const finalState = (events: readonly Event[]): [string, unknown][] => {
  const state = events.reduce<GraphState>((before, event) => graphState.apply(before, event), graphState.initial());
  return Object.entries(state).map(([name, { value }]) => [name, value]);
};
const checkpoints = (events: readonly Event[]): unknown[] =>
  checkpointsOf(events).map(({ seq: _seq, at: _at, ...what }) => what);

/** Names of the calls that changed state. */
const writes = (events: readonly Event[]): string[] =>
  dataOf(events, 'call.ended').flatMap(({ node, call, state }) =>
    state === undefined ? [] : [`${call.split('.')[0]} ${node}`],
  );

const parameters = { numRuns: isThorough ? scaled(700) : 12, seed: Number(process.env['SEED'] ?? 20_261_116) };
const crashes = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 3 });

describe('a graph that remembers and is stopped at any moment', { timeout: 120_000 }, () => {
  it('has the same checkpoints and leaves the same state as one that was not stopped', async () => {
    await fc.assert(
      fc.asyncProperty(graphs(true), crashes, async (graph, moments) => {
        const whole = await driveWithCrashes(graph, ['r'], []);
        const resumed = await driveWithCrashes(graph, ['r'], moments);
        expect(checkpoints(resumed)).toEqual(checkpoints(whole));
        expect(finalState(resumed)).toEqual(finalState(whole));
        expect(dataOf(resumed, 'run.ended')).toEqual(dataOf(whole, 'run.ended'));
      }),
      parameters,
    );
  });

  it('writes each value exactly once, also where several runs change the same keys, and replays', async () => {
    await fc.assert(
      fc.asyncProperty(graphs(false), crashes, async (graph, moments) => {
        const events = await driveWithCrashes(graph, ['x', 'y', 'z'], moments);
        const written = writes(events);
        expect(new Set(written).size).toBe(written.length);
        const done = dataOf(events, 'call.ended').filter(
          ({ settles, output }) => settles === 'done' && output !== 'taken',
        );
        const writers = new Set(
          graph.nodes.flatMap((node) => (node.kind === 'tool' && node.tool === 'state.write' ? [node.id] : [])),
        );
        const ended = done.filter(({ node, status }) => status === 'ok' && writers.has(node ?? ''));
        expect(ended.map(({ call, node }) => `${call.split('.')[0]} ${node}`).toSorted()).toEqual(written.toSorted());
        const [started] = dataOf(events, 'run.started');
        const tools = new Map(toolsOver(memoryState()).map((tool) => [tool.name, tool]));
        const plan = await createEngine({
          tools: [],
          clock: () => 0,
          sleep: async () => undefined,
          stores: { artifacts },
        }).planFor(started?.graph.sha256 ?? '');
        for (const run of ['x', 'y', 'z'])
          expect(
            replayDecisions(
              plan,
              events.filter((event) => event.run === run),
              (name) => tools.get(name),
            ).difference,
          ).toBeNull();
      }),
      parameters,
    );
  });
});
