import { describe, expect, it } from 'vitest';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import {
  dataOf,
  engineWith,
  failed,
  fakeTime,
  graphOf,
  memoryArtifacts,
  ok,
  toolNamed,
} from '../../support/engine-fakes.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });

describe('{{date}}', () => {
  it('is the day the run began: recorded, the same in a replay, and still the same on the day after', async () => {
    const calls: ToolCall[] = [];
    const look = toolNamed('look', (input, call) => {
      calls.push(call);
      return ok(input);
    });
    const { engine, events, time } = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
    const graph = graphOf([
      tool('a', { input: '{{date}}' }),
      { kind: 'wait', id: 'night', needs: ['a'], for: { kind: 'timer', until: '2030-01-02T12:00:00Z' } },
      tool('b', { needs: ['night'], input: 'report-{{date}}.md' }),
    ]);
    const run = await (await engine.start(graph, { id: 'r' })).done;
    expect(time.now).toBeGreaterThan(Date.parse('2030-01-02T11:00:00Z'));
    expect(run.status).toBe('done');
    const date = dataOf(events, 'run.started')[0]?.date;
    expect(date).toMatch(/^(2029-12-31|2030-01-01)$/); // by the zone of the machine
    expect(calls.map(({ input, author }) => [input, author])).toEqual([
      [date, 'operator'],
      [`report-${date}.md`, 'operator'],
    ]);
    const plan = await engine.planFor(run.plan.sha256);
    expect(replayDecisions(plan, events, () => look).difference).toBeNull();
  });

  it('stays the day of the first attempt when a failed run is continued on another day', async () => {
    let isBroken = true;
    const broken = toolNamed('look', (input) => (isBroken ? failed('no') : ok(input)));
    const { engine, events, time } = engineWith({ tools: [broken] });
    await (await engine.start(graphOf([tool('a', { input: '{{date}}' })]), { id: 'r' })).done;
    isBroken = false;
    time.now += 3 * 86_400_000;
    const { output } = await (await engine.resume('r')).done;
    const [first, second] = dataOf(events, 'run.started');
    expect(first?.date).toBeDefined();
    expect([second?.date, output]).toEqual([first?.date, first?.date]);
  });

  it('is not recorded where nobody asks for it, and a node of that name goes before it', async () => {
    const { engine, events } = engineWith({
      tools: [toolNamed('look', (input) => ok(input))],
      clock: fakeTime().clock,
    });
    const graph = graphOf([tool('date', { input: 'a node' }), tool('b', { needs: ['date'], input: '{{date}}' })]);
    expect(checkGraph(graph)).toEqual([]);
    expect((await (await engine.start(graph, { id: 'r' })).done).output).toBe('a node');
    await (await engine.start(graphOf([tool('a', { input: 1 })]), { id: 'r2' })).done;
    expect(dataOf(events, 'run.started')[1]).not.toHaveProperty('date');
  });
});

describe('the default input', () => {
  it('of a map is the list that the node before it gave', async () => {
    const { engine } = engineWith({ tools: [toolNamed('look', (input) => ok(input))] });
    const graph = graphOf([tool('a', { input: [1, 2] }), { kind: 'map', id: 'm', needs: ['a'], each: tool('x') }]);
    expect((await (await engine.start(graph, { id: 'r' })).done).output).toEqual([1, 2]);
  });
});
