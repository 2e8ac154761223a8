import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { dataOf, engineWith, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'save', ...rest });

function world() {
  const inputs: Json[] = [];
  const save = toolNamed('save', (input) => (inputs.push(input), ok(input)), { class: 'write_local' });
  return { ...engineWith({ tools: [save] }), inputs };
}

describe('a pinned node', () => {
  it('is not run, and gives its pin to the nodes behind it; the run replays the same', async () => {
    const { engine, inputs, events } = world();
    const graph = graphOf([tool('a'), tool('b', { needs: ['a'] })], { pins: { a: { n: 1 } } });
    expect(await (await engine.start(graph, { id: 'r', input: 7 })).done).toMatchObject({ status: 'done' });
    expect(inputs).toEqual([{ n: 1 }]);
    expect(dataOf(events, 'node.settled')).toMatchObject([{ node: 'a', status: 'done', reason: 'pinned' }]);
    const plan = await engine.planFor(dataOf(events, 'run.started')[0]?.graph.sha256 ?? '');
    expect(replayDecisions(plan, events, () => undefined).difference).toBeNull();
  });

  it('may be a map, whose items are not made, or one behind a branch that is not taken', async () => {
    const { engine, inputs } = world();
    const map = { kind: 'map', id: 'm', over: '{{input.list}}', each: tool('x') };
    const edges = [{ from: 'm', to: 'b', when: { field: '0', equals: 'no' } }];
    const graph = graphOf([map, tool('b')], { pins: { m: ['yes'], b: 1 }, edges });
    const run = await (await engine.start(graph, { id: 'r', input: { list: [1, 2] } })).done;
    expect(run.nodes.map(({ status, output }) => [status, output])).toEqual([
      ['done', ['yes']],
      ['skipped', null],
    ]);
    expect(inputs).toEqual([]);
  });

  it('has to be there, and is refused in strict mode', () => {
    const problems = (mode: string, pins: object): string[] =>
      checkGraph(graphOf([tool('a')], { mode, pins }))
        .filter(({ path }) => path.startsWith('pins'))
        .map(({ path, rule }) => `${path} ${rule}`);
    expect(problems('flex', { a: 1, x: 2 })).toEqual(['pins.x references']);
    expect(problems('strict', { a: 1 })).toEqual(['pins.a strict']);
  });
});
