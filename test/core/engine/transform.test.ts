import { expect, it } from 'vitest';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { dataOf, engineWith, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const look = toolNamed('look', () => ok({ price: 41 }));
const nodes = [
  { kind: 'tool', id: 'fetch', tool: 'look' },
  {
    kind: 'transform',
    id: 'line',
    needs: ['fetch'],
    value: { text: 'It costs {{fetch.price}}.', by: '{{input.who}}' },
  },
  { kind: 'transform', id: 'same', needs: ['line'] },
];

it('a transform makes a value out of what is known, or passes on its input, and calls nothing', async () => {
  const { graph, problems } = readGraph({ id: 'g', mode: 'flex', nodes });
  expect(problems()).toEqual([]);
  const { engine, events } = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
  const ended = await (await engine.start(graph, { id: 'r', input: { who: 'me' } })).done;
  expect(ended).toMatchObject({ status: 'done', output: { text: 'It costs 41.', by: 'me' } });
  expect(dataOf(events, 'call.started').map(({ node }) => node)).toEqual(['fetch']);
  expect(dataOf(events, 'node.settled').map(({ node }) => node)).toEqual(['line', 'same']);
  const { plan } = (await engine.stateOf('r')) ?? {};
  expect(plan && replayDecisions(plan, events, () => look).difference).toBeNull();
});

it('names in its templates are checked, and it can have no acceptance', () => {
  const wrong = { kind: 'transform', id: 't', value: '{{nobody.x}}', acceptance: ['file: a.txt'] };
  const found = readGraph({ id: 'g', mode: 'flex', nodes: [wrong] }).problems();
  expect(found.map(({ path }) => path)).toEqual(['nodes.0', 'nodes.0.acceptance']);
});
