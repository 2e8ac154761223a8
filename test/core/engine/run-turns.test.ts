/** Runs of one graph that take turns: at most so many at once, in order, also over a restart. */
import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import { memoryTurns } from '../../../src/core/engine/run-turns.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { dataOf, engineWith, graphOf, memoryArtifacts, ok, type Seen, toolNamed } from '../../support/engine-fakes.ts';

const asking = [{ kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Go on?' } }];
const one = graphOf(asking, { runs_at_once: 1 });
const perCustomer = graphOf(asking, { key: '{{input.customer}}' });
const start = async ({ engine }: Seen, id: string, graph = one, input: Json = null) =>
  (await engine.start(graph, { id, input })).done;
const answer = async ({ engine }: Seen, id: string) =>
  (await engine.answer(id, `${id}.ask.0.w0`, { verdict: 'answered', text: 'yes' })).done;
const statuses = async ({ engine }: Seen, ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const state = await engine.stateOf(id);
      return `${id} ${state?.status} ${[...(state?.waits.values() ?? [])].map(({ for: { kind } }) => kind).join()}`.trim();
    }),
  );

describe('a graph with runs_at_once', () => {
  it('lets further runs wait for their turn, in the order in which they began', async () => {
    const seen = engineWith({});
    for (const id of ['a', 'b', 'c']) await start(seen, id);
    expect(await statuses(seen, ['a', 'b', 'c'])).toEqual(['a blocked question', 'b blocked turn', 'c blocked turn']);
    expect(dataOf(seen.events, 'wait.opened')[1]).toEqual({
      wait: 'b.turn',
      node: null,
      for: { kind: 'turn', key: 'g', at_once: 1 },
    });
    await answer(seen, 'a');
    await seen.engine.whenIdle();
    await expect
      .poll(() => statuses(seen, ['a', 'b', 'c']))
      .toEqual(['a done', 'b blocked question', 'c blocked turn']);
    await answer(seen, 'b');
    await expect.poll(() => statuses(seen, ['b', 'c'])).toEqual(['b done', 'c blocked question']);
    for (const id of ['b', 'c']) {
      const events = seen.events.filter(({ run }) => run === id);
      const plan = await seen.engine.planFor(dataOf(events, 'run.started')[0]?.graph.sha256 ?? '');
      expect(replayDecisions(plan, events, () => undefined).difference).toBeNull();
    }
  });

  it('counts per key where there is one, and more than one at once where that is allowed', async () => {
    const seen = engineWith({});
    for (const [id, customer] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ])
      await start(seen, id ?? '', perCustomer, { customer: customer ?? '' });
    expect(await statuses(seen, ['a', 'b', 'c'])).toEqual([
      'a blocked question',
      'b blocked turn',
      'c blocked question',
    ]);
    const two = graphOf(asking, { id: 'two', runs_at_once: 2 });
    for (const id of ['d', 'e', 'f']) await start(seen, id, two);
    expect(await statuses(seen, ['d', 'e', 'f'])).toEqual([
      'd blocked question',
      'e blocked question',
      'f blocked turn',
    ]);
  });

  it('lets the next one go on when a run is cancelled, also one that waits itself', async () => {
    const seen = engineWith({});
    for (const id of ['a', 'b', 'c']) await start(seen, id);
    await seen.engine.stop('b', { kind: 'cancel', reason: 'no' });
    await seen.engine.stop('a', { kind: 'cancel', reason: 'no' });
    await expect.poll(() => statuses(seen, ['c'])).toEqual(['c blocked question']);
  });

  it('works in the turn of the run around it: a graph that runs itself does not wait for itself', async () => {
    const inner = graphOf([{ kind: 'tool', id: 'n', tool: 'note' }], { runs_at_once: 1 });
    const outer = graphOf([{ kind: 'graph', id: 'again', graph: 'g', input: null }], { runs_at_once: 1 });
    const seen: Seen = engineWith({
      tools: [
        toolNamed('note', () => ok('noted')),
        toolNamed('run.start', async (input, call) => ({
          status: 'waiting',
          for: { kind: 'child', run: await seen.engine.startChild((input as { graph: string }).graph, null, call) },
        })),
      ],
      graphs: () => inner,
    });
    expect(await start(seen, 'a', outer)).toMatchObject({ status: 'done', output: 'noted' });
  });

  it('goes on in order after a restart, also when the run before ended right before it', async () => {
    const artifacts = memoryArtifacts();
    const before = engineWith({ stores: { artifacts } });
    for (const id of ['a', 'b', 'c']) await start(before, id);
    const ended: Event = {
      ...before.events[0],
      type: 'run.ended',
      run: 'a',
      seq: before.events.length + 1,
      data: { status: 'done', reason: '', output: null, artifacts: [] },
    } as Event;
    const survived = [...before.events, ended];
    const turns = memoryTurns();
    for (const event of survived) turns.note(event);
    const after = engineWith({ stores: { artifacts, turns } }, survived);
    for (const id of ['c', 'b']) await (await after.engine.resume(id)).done;
    expect(await statuses(after, ['b', 'c'])).toEqual(['b blocked question', 'c blocked turn']);
  });

  it('takes turns by the input only', () => {
    expect(checkGraph(graphOf(asking, { key: '{{ask.text}}' }))).toMatchObject([{ path: 'key' }]);
    expect(checkGraph(perCustomer)).toEqual([]);
  });
});
