import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../../src/core/engine/call-bounds.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { dataOf, engineWith, failed, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';
import { stateAfter } from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const broken = (id: string, rest: object): object => tool(id, { tool: 'break', ...rest });
const look = toolNamed('look', (input) => ok(input));
const breaking = toolNamed('break', () => failed('it broke'));

async function run(nodes: object[], rest: object = {}) {
  const seen = engineWith({ tools: [look, breaking], stores: { artifacts: memoryArtifacts() } });
  const { graph, problems } = readGraph({ id: 'g', mode: 'flex', nodes, ...rest });
  expect(problems()).toEqual([]);
  const ended = await (await seen.engine.start(graph, { id: 'r', input: 'in' })).done;
  const called = dataOf(seen.events, 'call.started').map(({ node, input }) => [node, input]);
  return { ...seen, run: ended, called };
}

const problemsOf = (...nodes: object[]): string[] =>
  readGraph({ id: 'g', mode: 'flex', nodes })
    .problems()
    .map(({ path, problem }) => `${path}: ${problem}`);

describe('a node that has failed for good', () => {
  it('continue: is done, and the node behind it gets what went wrong', async () => {
    const {
      run: ended,
      called,
      events,
    } = await run([broken('a', { on_error: 'continue' }), tool('b', { needs: ['a'], input: '{{a.error}}' })]);
    expect(ended).toMatchObject({ status: 'done', output: 'it broke' });
    expect(called).toEqual([
      ['a', 'in'],
      ['b', 'it broke'],
    ]);
    expect(dataOf(events, 'call.ended')[0]).toMatchObject({ status: 'failed', settles: 'done' });
  });

  it('branch: the node it names is next, with the error as its input; what needs the failed node is skipped', async () => {
    const seen = await run([
      broken('a', { on_error: 'branch:repair' }),
      tool('b', { needs: ['a'] }),
      tool('repair'),
      tool('end', { needs: ['repair'] }),
    ]);
    expect(seen.run.status).toBe('done');
    expect(seen.called).toEqual([
      ['a', 'in'],
      ['repair', { error: 'it broke' }],
      ['end', { error: 'it broke' }],
    ]);
    expect(seen.run.nodes.map(({ status }) => status)).toEqual(['failed', 'skipped', 'done', 'done']);
    const plan = await seen.engine.planFor(seen.run.plan.sha256);
    expect(replayDecisions(plan, seen.events, () => look).difference).toBeNull();
  });

  it('branch: a node that goes well does not lead there', async () => {
    const { run: ended, called } = await run([
      tool('a', { on_error: 'branch:repair' }),
      tool('b', { needs: ['a'] }),
      tool('repair'),
    ]);
    expect(called.map(([node]) => node)).toEqual(['a', 'b']);
    expect(ended).toMatchObject({ status: 'done', output: 'in' });
  });

  it('branch: a condition that cannot compare leads there, too', async () => {
    const compare = { kind: 'typed_condition', id: 'c', operator: 'gt', right: 5, on_error: 'branch:repair' };
    const { run: ended } = await run([compare, tool('repair', { input: '{{c.error}}' })]);
    expect(ended).toMatchObject({ status: 'done', output: 'gt cannot compare the text "in" with the number 5' });
  });

  it('branch: a run that fails later and is continued does not do the failed node again', async () => {
    let isBroken = true;
    const mended = toolNamed('mend', (input) => (isBroken ? failed('no') : ok(input)));
    const { engine, events } = engineWith({ tools: [look, breaking, mended] });
    const nodes = [
      broken('a', { on_error: 'branch:repair' }),
      tool('repair'),
      tool('end', { tool: 'mend', needs: ['repair'] }),
    ];
    const { graph } = readGraph({ id: 'g', mode: 'flex', nodes });
    expect((await (await engine.start(graph, { id: 'r' })).done).status).toBe('failed');
    isBroken = false;
    expect((await (await engine.resume('r')).done).status).toBe('done');
    expect(dataOf(events, 'call.started').map(({ node }) => node)).toEqual(['a', 'repair', 'end', 'end']);
  });

  it('retry.times is the number of further attempts, and its pauses and failures are given to the chain', () => {
    const retry = { times: 3, backoff: { seconds: 2 }, on: ['timeout'] };
    const { graph } = readGraph({ id: 'g', mode: 'flex', nodes: [tool('a', { retry })] });
    expect(boundsOf(stateAfter(graph), 'a')).toMatchObject({
      retries: 3,
      retry: { on: ['timeout'], backoff: { seconds: 2, factor: 2, most_seconds: 10 } },
    });
  });

  it('what does not fit together is found before anything runs', () => {
    expect(problemsOf(tool('a', { retry: { times: 1 }, max_retries: 1 }))).toEqual([
      'nodes.0.retry: both retry and max_retries say how often it is tried again',
    ]);
    expect(problemsOf(tool('a', { on_error: 'branch:nobody' }))).toEqual([
      'nodes.0.on_error: there is no node "nobody"',
    ]);
    const each = tool('x', { on_error: 'branch:b' });
    expect(problemsOf({ kind: 'map', id: 'm', over: '{{input}}', each }, tool('b'))).toEqual([
      'nodes.0.each.on_error: the step of a map cannot branch',
    ]);
    expect(problemsOf(tool('a', { on_error: 'branch:b', needs: ['b'] }), tool('b'))).toEqual([
      'nodes: these nodes wait for each other: a, b. An edge back needs "max"',
    ]);
  });
});
