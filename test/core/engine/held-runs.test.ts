/** While everything is held no run takes a step, whoever begins it; what was held back is reported, and can be resumed. */
import { describe, expect, it } from 'vitest';
import { dataOf, engineWith, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const acts = { kind: 'tool', id: 'act', tool: 'act' };
const asks = { kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Go on?' } };

function held() {
  let [isOn, heldBack] = [false, 0];
  const hold = { isOn: () => isOn, onHeldBack: () => void (heldBack += 1) };
  const seen = engineWith({
    tools: [toolNamed('act', () => ok(1))],
    hooks: { before_run: { tool: 'act', input: null } },
    hold,
  });
  const calls = (): number => dataOf(seen.events, 'call.started').length;
  return { ...seen, calls, heldBack: () => heldBack, set: (on: boolean) => void (isOn = on) };
}

describe('an engine that is held', () => {
  it('records that a run begins, and takes no step, also none of a hook; resumed, it does everything once', async () => {
    const { engine, calls, heldBack, set } = held();
    set(true);
    const run = await (await engine.start(graphOf([acts]), { id: 'a' })).done;
    expect([run.status, calls(), heldBack()]).toEqual(['running', 0, 1]);
    await (await engine.resume('a')).done;
    expect([calls(), heldBack(), engine.isDriven('a')]).toEqual([0, 2, false]);
    set(false);
    expect((await (await engine.resume('a')).done).status).toBe('done');
    expect([calls(), heldBack()]).toEqual([2, 2]); // the hook and the node
  });

  it('records an answer, and the run goes on later', async () => {
    const { engine, calls, set } = held();
    const graph = graphOf([asks, acts], { edges: [{ from: 'ask', to: 'act' }] });
    await (await engine.start(graph, { id: 'a' })).done;
    set(true);
    await (await engine.answer('a', 'a.ask.0.w0', { verdict: 'answered', text: 'yes' })).done;
    expect([calls(), (await engine.stateOf('a'))?.waits.size]).toEqual([1, 0]); // the hook, before
    set(false);
    expect((await (await engine.resume('a')).done).status).toBe('done');
    expect(calls()).toBe(2);
  });

  it('lets nobody have a turn that an ended run leaves', async () => {
    const { engine, events, set } = held();
    const graph = graphOf([asks], { runs_at_once: 1 });
    for (const id of ['a', 'b']) await (await engine.start(graph, { id })).done;
    set(true);
    await (await engine.answer('a', 'a.ask.0.w0', { verdict: 'answered', text: 'yes' })).done;
    await engine.stop('a', { kind: 'cancel', reason: 'enough' });
    await engine.whenIdle();
    const { length } = events;
    await new Promise((done) => setTimeout(done, 50));
    expect(events).toHaveLength(length);
    expect(dataOf(events, 'run.resumed')).toHaveLength(1);
    set(false);
    await (await engine.resume('b')).done;
    expect([...((await engine.stateOf('b'))?.waits.values() ?? [])].map(({ for: { kind } }) => kind)).toEqual([
      'question',
    ]);
  });
});
