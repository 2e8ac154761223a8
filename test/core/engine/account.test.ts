import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import { engineWith, graphOf, memoryArtifacts, type Seen, toolNamed } from '../../support/engine-fakes.ts';

const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });

const usage = { tokens_in: 4, tokens_out: 2 };
const inner = graphOf([tool('spend', 'costly')], { id: 'inner' });
const asking = graphOf(
  [
    tool('spend', 'costly'),
    { kind: 'wait', id: 'w', needs: ['spend'], for: { kind: 'question', text: 'on?' } },
    tool('more', 'costly', { needs: ['w'] }),
  ],
  { id: 'asking' },
);
const twoOf = (id: string) =>
  graphOf(
    ['a', 'b'].map((name) => ({ kind: 'graph', id: name, graph: id, on_error: 'fallback', fallback: 'refused' })),
  );

function engineWithCostly(survived: readonly Event[] = [], artifacts = memoryArtifacts()) {
  let spent = 0;
  const spend = async (): Promise<Outcome> => {
    spent += 1;
    await quiet();
    return { status: 'ok', output: null, usage };
  };
  const costly = toolNamed('costly', spend, { estimate: () => usage });
  const start = runTool(({ graph, input, call }) => seen.engine.startChild(graph, input, call));
  const tools = [costly, start];
  const middleware = standardChain({
    tools,
    clock: () => 0,
    sleep: async () => undefined,
    judge: () => ({ effect: 'allow', why: '' }),
  });
  const graphs: Record<string, ReturnType<typeof graphOf>> = { inner, asking };
  const seen: Seen = engineWith({ graphs: (id) => graphs[id], tools, middleware, stores: { artifacts } }, survived);
  return { ...seen, calls: () => spent };
}

describe('runs inside a run', () => {
  it('that work at the same time spend no more together than the run around them has', async () => {
    const { engine, calls } = engineWithCostly();
    const run = await (await engine.start(twoOf('inner'), { id: 'r', budgets: { tokens: 10 } })).done;
    expect(calls()).toBe(1);
    expect(run.spent.tokens).toBe(6);
  });

  it('make no more calls together than the run around them may', async () => {
    const { engine, calls } = engineWithCostly();
    await (await engine.start(twoOf('inner'), { id: 'r', budgets: { tool_calls: 3 } })).done;
    expect(calls()).toBe(1);
  });

  it('count once: what a child has spent is in its parent when it has ended', async () => {
    const { engine, calls } = engineWithCostly();
    const run = await (await engine.start(twoOf('inner'), { id: 'r', budgets: { tokens: 12 } })).done;
    expect(calls()).toBe(2);
    expect(run).toMatchObject({ status: 'done', spent: { tokens: 12 } });
  });
});

describe('runs inside a run that wait for a person', () => {
  const artifacts = memoryArtifacts();
  const rest = async () => {
    const before = engineWithCostly([], artifacts);
    const run = await (await before.engine.start(twoOf('asking'), { id: 'r', budgets: { tokens: 20 } })).done;
    expect(run).toMatchObject({ status: 'blocked' });
    const children = [...run.waits.values()].flatMap(({ for: each }) => (each.kind === 'child' ? [each.run] : []));
    return { before, children };
  };
  const answerBoth = async ({ engine }: Pick<Seen, 'engine'>, children: string[]) => {
    await Promise.all(
      children.map(async (id) => (await engine.answer(id, `${id}.w.0.w0`, { verdict: 'answered' })).done),
    );
    for (let turn = 0; turn < 50; turn += 1) await quiet();
    return engine.stateOf('r');
  };

  it('still count when they go on', async () => {
    const { before, children } = await rest();
    expect(await answerBoth(before, children)).toMatchObject({ spent: { tokens: 18 } });
    expect(before.calls()).toBe(3);
  });

  it('still count after a restart', async () => {
    const { before, children } = await rest();
    const after = engineWithCostly(before.events, artifacts);
    expect(await answerBoth(after, children)).toMatchObject({ spent: { tokens: 18 } });
    expect(after.calls()).toBe(1);
  });
});
