import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine/engine.ts';
import type { EngineOptions } from '../../../src/core/engine/engine-context.ts';
import { Graph } from '../../../src/core/schema/graph.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { defineTool } from '../../../src/kit/define-tool.ts';
import { z } from 'zod';

const needs: Outcome = { status: 'waiting', for: { kind: 'requirement', name: 'jq' } };

/** Lacks something the first time it is called. */
function lacking(): Tool {
  let calls = 0;
  return defineTool({
    name: 'step',
    about: 'x',
    input: z.any(),
    output: z.any(),
    annotations: { idempotent: true },
    targets: [],
    class: 'write_local',
    act: () => ((calls += 1) === 1 ? needs : { status: 'ok', output: calls }),
  });
}

const graph = (more: object = {}): Graph =>
  Graph.parse({ id: 'g', mode: 'flex', nodes: [{ kind: 'tool', id: 'a', tool: 'step', input: {}, ...more }] });

function engineWith(provide: EngineOptions['provide']) {
  const sleep = (): Promise<void> => new Promise(() => undefined);
  return createEngine({ tools: [lacking()], clock: Date.now, sleep, ...(provide === undefined ? {} : { provide }) });
}

describe('a wait for something that can be brought', () => {
  it('keeps the drive alive, and the call is made again when it has come', async () => {
    const engine = engineWith(async () => ({ verdict: 'arrived', by: 'oka' }));
    const run = await (await engine.start(graph(), { id: 'r' })).done;
    expect(run).toMatchObject({ status: 'done', output: 2 });
  });

  it('that is refused fails the step, or leads to its fallback', async () => {
    const refusing: EngineOptions['provide'] = async () => ({ verdict: 'denied', text: 'no', by: 'oka' });
    expect(await (await engineWith(refusing).start(graph(), { id: 'r' })).done).toMatchObject({
      status: 'failed',
      reason: 'a: requirement denied: no',
    });
    const fallback = graph({ on_error: 'fallback', fallback: 'without' });
    expect(await (await engineWith(refusing).start(fallback, { id: 'r' })).done).toMatchObject({
      status: 'done',
      output: 'without',
    });
  });

  it('and is not brought blocks the run, as it does where nobody brings anything', async () => {
    const failing: EngineOptions['provide'] = () => Promise.reject(new Error('a person has to'));
    for (const provide of [failing, () => null, undefined])
      expect(await (await engineWith(provide).start(graph(), { id: 'r' })).done).toMatchObject({ status: 'blocked' });
  });
});

describe('a wait for a timer', () => {
  /** A clock that is set back by a day while the engine sleeps for the first time. */
  async function setBack(wait: { until: string; ms?: number }, mostSleeps: number): Promise<string> {
    const time = { now: Date.parse('2026-03-01T00:00:00Z'), monotonic: 0, sleeps: 0 };
    const engine = createEngine({
      tools: [],
      clock: () => time.now,
      monotonic: () => time.monotonic,
      sleep: (ms) => {
        time.sleeps += 1;
        time.now += time.sleeps === 1 ? ms - 86_400_000 : ms;
        time.monotonic += ms;
        return time.sleeps > mostSleeps ? new Promise(() => undefined) : Promise.resolve();
      },
    });
    const waiting = Graph.parse({
      id: 'g',
      mode: 'flex',
      nodes: [{ kind: 'wait', id: 'w', for: { kind: 'timer', ...wait } }],
    });
    const drive = await engine.start(waiting, { id: 'r' });
    return Promise.race([
      drive.done.then(({ status }) => status),
      new Promise<string>((resolve) => void setTimeout(() => resolve('waits'), 200)),
    ]);
  }

  it('that is a pause is not made longer by a clock that is set back', async () => {
    expect(await setBack({ until: '2026-03-01T00:00:30Z', ms: 30_000 }, 1)).toBe('done');
  });

  it('that is a moment ends when the clock shows it', async () => {
    expect(await setBack({ until: '2026-03-01T00:00:30Z' }, 10)).toBe('waits');
    expect(await setBack({ until: '2026-03-01T00:00:30Z' }, 2000)).toBe('done');
  });
});
