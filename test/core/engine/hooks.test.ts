import { describe, expect, it } from 'vitest';
import type { HookDocument, Hooks } from '../../../src/core/engine/hooks.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import { dataOf, engineWith, failed, graphOf, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

/** Runs one node under hooks that call `hook` with their own name. */
async function hooked(
  names: (keyof Hooks)[],
  outcome: Outcome = ok(),
  hook: (name: Json) => Outcome | Promise<Outcome> = () => ok(),
) {
  const calls: Json[] = [];
  const tools = [
    toolNamed('work', () => (calls.push('work'), outcome)),
    toolNamed('hook', (input) => (calls.push(input), hook(input)), { class: 'write_local' }),
  ];
  const hooks = Object.fromEntries(names.map((name) => [name, { tool: 'hook', input: name }]));
  const { engine, events } = engineWith({ tools, hooks });
  const run = await (await engine.start(graphOf([{ kind: 'tool', id: 'a', tool: 'work' }]), { id: 'r' })).done;
  return { calls, run, events };
}

describe('hooks', () => {
  it('come before and after the run and each call, and are written down like every call', async () => {
    const { calls, events } = await hooked(['before_run', 'after_run', 'before_node', 'after_node', 'on_error']);
    expect(calls).toEqual(['before_run', 'before_node', 'work', 'after_node', 'after_run']);
    expect(dataOf(events, 'call.started').map(({ call, node }) => [call, node])).toEqual([
      ['r.before_run', null],
      ['r.a.0.1', 'a'],
      ['r.a.0.1.before_node', null],
      ['r.a.0.1.after_node', null],
      ['r.after_run', null],
    ]);
    expect(dataOf(events, 'call.ended')).toHaveLength(5);
  });

  it('on_error comes after a call that failed or was denied', async () => {
    expect((await hooked(['after_node', 'on_error'], failed('no'))).calls).toEqual(['work', 'on_error']);
    expect((await hooked(['on_error'], { status: 'denied', error: 'no' })).calls).toEqual(['work', 'on_error']);
  });

  it('a run that its hook does not allow fails before the first step', async () => {
    const { calls, run } = await hooked(['before_run', 'after_run'], ok(), (name) =>
      name === 'before_run' ? failed('not today') : ok(),
    );
    expect(run).toMatchObject({ status: 'failed', reason: 'the hook before_run: not today' });
    expect(calls).toEqual(['before_run', 'after_run']);
  });

  it('a call that its hook does not allow fails without being made', async () => {
    const { calls, run } = await hooked(['before_node'], ok(), () => ({ status: 'denied', error: 'not this' }));
    expect(run).toMatchObject({ status: 'failed', reason: 'a: the hook before_node: not this' });
    expect(calls).toEqual(['before_node']);
  });

  it.each(['after_run', 'after_node'] as const)('what goes wrong in %s changes nothing', async (name) => {
    const { run, events } = await hooked([name], ok('fine'), () => Promise.reject(new Error('x'.repeat(50_000))));
    expect(run).toMatchObject({ status: 'done', output: 'fine' });
    expect(dataOf(events, 'call.ended').filter(({ status }) => status === 'failed')).toHaveLength(1);
  });

  it('before_run comes once, also when the run is resumed; and again when it was cut off', async () => {
    const calls: Json[] = [];
    let isFirst = true;
    const hook = toolNamed(
      'hook',
      (input) => (calls.push(input), isFirst ? new Promise<Outcome>(() => undefined) : ok()),
    );
    const nodes = [{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }];
    const hooks = { before_run: { tool: 'hook', input: 'before' } };
    const stores = { artifacts: memoryArtifacts() };
    const first = engineWith({ tools: [hook], hooks, stores });
    await first.engine.start(graphOf(nodes), { id: 'r' });
    await new Promise((resolve) => void setImmediate(resolve));
    isFirst = false;
    const second = engineWith({ tools: [hook], hooks, stores }, [...first.events]);
    expect(await (await second.engine.resume('r')).done).toMatchObject({ status: 'blocked' });
    await (await second.engine.answer('r', 'r.w.0.w0', { verdict: 'answered' })).done;
    expect(calls).toHaveLength(2);
  });

  it('come around steps that end without a call, too, know what they are about, and a line of one is a veto', async () => {
    const documents: HookDocument[] = [];
    const work = toolNamed('work', () => ok('x'));
    const hook = toolNamed('hook', (input) => {
      const about = input as unknown as HookDocument;
      documents.push(about);
      const isRefused = about.hook === 'before_node' && about.node === 'no';
      return ok({ stdout: isRefused ? 'looking\nveto: not on a Sunday\n' : '' });
    });
    const own = { tool: 'hook', input: (about: HookDocument) => about as unknown as Json };
    const hooks = { before_node: own, after_node: own, on_error: own, after_run: own };
    const { engine } = engineWith({ tools: [work, hook], hooks });
    const nodes = [
      { kind: 'transform', id: 't', value: 5 },
      { kind: 'typed_condition', id: 'c', needs: ['t'], left: '{{t}}', operator: 'gt', right: 3 },
      { kind: 'map', id: 'm', needs: ['c'], over: '{{input}}', each: { kind: 'tool', id: 'i', tool: 'work' } },
      { kind: 'transform', id: 'no', needs: ['m'], value: 1 },
      { kind: 'tool', id: 'never', needs: ['no'], tool: 'work' },
    ];
    const run = await (await engine.start(graphOf(nodes), { id: 'r', input: ['one'] })).done;
    expect(run).toMatchObject({ status: 'failed', reason: 'no: the hook before_node: not on a Sunday' });
    expect(documents.map(({ hook: name, node, kind, status }) => [name, node, kind, status])).toEqual([
      ['before_node', 't', 'transform', 'running'],
      ['after_node', 't', 'transform', 'done'],
      ['before_node', 'c', 'typed_condition', 'running'],
      ['after_node', 'c', 'typed_condition', 'done'],
      ['before_node', 'm__0', 'tool', 'running'],
      ['after_node', 'm__0', 'tool', 'ok'],
      ['before_node', 'm', 'map', 'running'],
      ['after_node', 'm', 'map', 'done'],
      ['before_node', 'no', 'transform', 'running'],
      ['on_error', 'no', 'transform', 'failed'],
      ['after_run', null, null, 'failed'],
    ]);
    expect(documents[5]).toMatchObject({
      graph: 'g',
      call: 'r.m__0.0.1',
      output: { bytes: 3 },
      cost: { tokens: 0, usd: 0 },
    });
    expect(documents[9]?.error).toContain('not on a Sunday');
  });
});
