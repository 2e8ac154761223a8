import { describe, expect, it } from 'vitest';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { toolRegistry } from '../../../src/core/engine/tool-registry.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { dataOf, engineWith, graphOf, latch, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });
const look = toolNamed('look', () => ok('seen'));
const far = toolNamed('far.read', () => ok('from a server'));

function engineOver(tools: ReturnType<typeof toolRegistry>) {
  const sleep = async (): Promise<void> => undefined;
  const judge = () => ({ effect: 'allow', why: '' }) as const;
  const middleware = standardChain({ tools, clock: () => 0, sleep, judge });
  return engineWith({ tools, middleware, stores: { artifacts: memoryArtifacts() } });
}

describe('tools that come and go', () => {
  it('a tool that was added can be called; before that a graph that names it is refused', async () => {
    const tools = toolRegistry([look]);
    const { engine } = engineOver(tools);
    const graph = graphOf([tool('a', 'far.read')]);
    await expect(engine.start(graph, { id: 'early' })).rejects.toThrow('there is no tool "far.read"');
    tools.add([far]);
    expect(await (await engine.start(graph, { id: 'r' })).done).toMatchObject({
      status: 'done',
      output: 'from a server',
    });
    tools.remove(['far.read']);
    await expect(engine.start(graph, { id: 'late' })).rejects.toThrow('there is no tool "far.read"');
  });

  it('a tool that went in the middle of a run fails the calls of it that follow; the one in flight ends', async () => {
    const [begun, mayEnd] = [latch(), latch()];
    const slow = toolNamed('far.read', async () => {
      begun.resolve();
      await mayEnd.promise;
      return ok('still there');
    });
    const tools = toolRegistry([look, slow]);
    const { engine, events } = engineOver(tools);
    const started = await engine.start(graphOf([tool('a', 'far.read'), tool('b', 'far.read', { needs: ['a'] })]), {
      id: 'r',
    });
    await begun.promise;
    tools.remove(['far.read']);
    mayEnd.resolve();
    expect(await started.done).toMatchObject({ status: 'failed', reason: 'b: there is no tool "far.read"' });
    expect(dataOf(events, 'call.ended')).toMatchObject([
      { node: 'a', status: 'ok', output: 'still there' },
      { node: 'b', status: 'failed', error: 'there is no tool "far.read"' },
    ]);
  });

  it('the record of a run says which tools there were when it started and when it went on', async () => {
    const tools = toolRegistry([look]);
    const { engine, events } = engineOver(tools);
    const asking = { kind: 'wait', id: 'w', for: { kind: 'question', text: 'Well?' } };
    await (await engine.start(graphOf([asking, tool('a', 'look', { needs: ['w'] })]), { id: 'r' })).done;
    const before = tools.version();
    tools.add([far]);
    const run = await (await engine.answer('r', 'r.w.0.w0', { verdict: 'answered', text: 'yes', by: 'me' })).done;
    expect(dataOf(events, 'run.started')).toMatchObject([{ tools: before }]);
    expect(dataOf(events, 'run.resumed')).toMatchObject([{ tools: tools.version() }]);
    expect(tools.version()).not.toBe(before);
    expect(replayDecisions(await engine.planFor(run.plan.sha256), events, (name) => tools.get(name))).toMatchObject({
      difference: null,
    });
    expect(replayDecisions(run.plan, events, () => undefined)).toMatchObject({ difference: null });
  });
});

describe('the version', () => {
  it('depends on the tools, not on their order', () => {
    expect(toolRegistry([look, far]).version()).toBe(toolRegistry([far, look]).version());
    expect(toolRegistry([look]).version()).not.toBe(toolRegistry([look, far]).version());
    const risky = toolNamed('look', () => ok(), { annotations: { risk: 'high' } });
    expect(toolRegistry([look]).version()).not.toBe(toolRegistry([risky]).version());
  });

  it('is that of before when a tool has gone and come again', () => {
    const tools = toolRegistry([look, far]);
    const before = tools.version();
    tools.remove(['far.read']);
    expect(tools.version()).not.toBe(before);
    tools.add([far]);
    expect(tools.version()).toBe(before);
  });
});

it('a name that is taken is refused', () => {
  expect(() => toolRegistry([look]).add([far, look])).toThrow('there is a tool "look" already');
});
