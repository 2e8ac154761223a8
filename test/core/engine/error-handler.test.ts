import { describe, expect, it } from 'vitest';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { toolRegistry } from '../../../src/core/engine/tool-registry.ts';
import { ERROR_DECIDE } from '../../../src/core/schema/error-handling.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { explainRun } from '../../../src/kit/views/explanation.ts';
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

type Act = (input: Json, attempt: number) => Outcome | Promise<Outcome>;

const look = toolNamed('look', (input) => ok(input));
const node = { kind: 'tool', id: 'n', tool: 'act', input: { q: 1 }, on_error: 'handle' };
const withModel = { handler: { model: true } };

/** Runs a graph with a tool that does this, and a model that decides this about its failures. */
async function run(
  act: Act,
  decide: (asked: Json, turn: number) => Outcome,
  nodes: unknown[],
  rest: Record<string, unknown> = {},
  kind: Partial<Tool> & { class?: 'external_mutation' } = {},
  artifacts = memoryArtifacts(),
) {
  let [attempts, turns] = [0, 0];
  const tools = [
    toolNamed('act', (input) => act(input, (attempts += 1)), kind),
    toolNamed(ERROR_DECIDE, (input) => decide(input, (turns += 1)), { internal: true }),
    look,
  ];
  const time = fakeTime();
  const middleware = standardChain({
    tools,
    clock: time.clock,
    sleep: time.sleep,
    judge: () => ({ effect: 'allow', why: '' }),
  });
  const seen = engineWith({ tools, middleware, stores: { artifacts } });
  const ended = await (await seen.engine.start(graphOf(nodes, rest), { id: 'r' })).done;
  const plan = await seen.engine.planFor(ended.plan.sha256);
  expect(replayDecisions(plan, seen.events, () => undefined).difference).toBeNull();
  return { ...seen, run: ended, attempts, turns, handled: dataOf(seen.events, 'error.handled') };
}

const nobody = (): Outcome => failed('nobody is there');
const decided = (action: string, more: object = {}): Outcome => ok({ action, reason: `I chose ${action}`, ...more });

describe('rules of the error handler', () => {
  it('a rate limit is waited out as long as it says, at most three times', async () => {
    const limited = failed('answered 429 (retry after 30 s)');
    const good = await run((_, attempt) => (attempt < 3 ? limited : ok('at last')), nobody, [node]);
    expect([good.run.status, good.run.output, good.attempts]).toEqual(['done', 'at last', 3]);
    expect(dataOf(good.events, 'wait.opened').map(({ for: awaited }) => awaited)).toMatchObject([
      { kind: 'timer', ms: 30_000 },
      { kind: 'timer', ms: 30_000 },
    ]);
    const endless = await run(() => limited, nobody, [node]);
    expect([endless.run.status, endless.attempts]).toEqual(['failed', 4]);
  });

  it('what ran out of time is tried once more with double the time, if the budget has it', async () => {
    const begun: number[] = [];
    const endless = new Promise<Outcome>(() => undefined);
    const slow: Act = (_, attempt) => (attempt === 1 ? endless : ok('slow'));
    const timed = { ...node, timeout_seconds: 0.05 };
    const good = await run(slow, nobody, [timed]);
    expect([good.run.status, good.run.output, good.attempts]).toEqual(['done', 'slow', 2]);
    expect(good.handled).toMatchObject([{ by: 'rule', rule: 'timeout', action: 'retry', timeout_factor: 2 }]);
    const poor = await run(slow, nobody, [timed], { budgets: { seconds: 0.09 } });
    expect([poor.run.status, poor.attempts]).toEqual(['failed', 1]);
    const never = await run(() => (begun.push(performance.now()), endless), nobody, [timed]);
    expect([never.run.status, never.attempts]).toEqual(['failed', 2]);
    expect(performance.now() - (begun[1] ?? 0)).toBeGreaterThan(95); // a busy machine only makes it longer
  });

  it('a tool that has gone is waited for', async () => {
    const { run: blocked, events } = await run(() => failed('there is no tool "act"'), nobody, [node]);
    expect(blocked.status).toBe('blocked');
    expect(dataOf(events, 'wait.opened')).toMatchObject([{ for: { kind: 'requirement', name: 'act' } }]);
  });

  it('a tool that was not there is called when it is back', async () => {
    const time = fakeTime();
    const act = toolNamed('act', () => ok('back'));
    const tools = toolRegistry([act]);
    tools.add([toolNamed('leave', () => (tools.remove(['act']), ok()))]);
    const middleware = standardChain({ tools, clock: time.clock, sleep: time.sleep });
    const { engine, events } = engineWith({ tools, middleware, stores: { artifacts: memoryArtifacts() } });
    const nodes = [
      { kind: 'tool', id: 'first', tool: 'leave' },
      { ...node, needs: ['first'] },
    ];
    const blocked = await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    expect([blocked.status, dataOf(events, 'error.handled').map(({ rule }) => rule)]).toEqual(['blocked', ['tool']]);
    tools.add([act]);
    const [{ wait } = { wait: '' }] = blocked.waits.values();
    const ended = await (await engine.answer('r', wait, { verdict: 'answered' })).done;
    expect([ended.status, ended.output]).toEqual(['done', 'back']);
  });

  it('a tool that has gone is not waited for without a retry in the budget, nor what only says that it has gone', async () => {
    const gone = (): Outcome => failed('there is no tool "act"');
    const poor = await run(gone, nobody, [node], { budgets: { retries: 0 } });
    expect([poor.run.status, poor.attempts, poor.run.spent.retries]).toEqual(['failed', 1, 0]);
    const sent = await run(gone, nobody, [node], {}, { class: 'external_mutation' });
    expect([sent.run.status, sent.attempts]).toEqual(['failed', 1]);
    const other = await run(() => failed('there is no tool "other"'), nobody, [node]);
    expect([other.run.status, other.attempts]).toEqual(['failed', 1]);
  });

  it('nothing that changes the world outside is repeated', async () => {
    const limited = (): Outcome => failed('answered 429 (retry after 1 s)');
    const seen = await run(limited, () => decided('retry', { input: { q: 2 } }), [node], withModel, {
      class: 'external_mutation',
    });
    expect([seen.run.status, seen.attempts]).toEqual(['failed', 1]);
  });

  it('without a rule and a model the fallback is used if there is one, else the node has failed', async () => {
    const wrong = (): Outcome => failed('wrong');
    const fallback = await run(wrong, nobody, [{ ...node, fallback: 'instead' }]);
    expect([fallback.run.status, fallback.run.output, fallback.turns]).toEqual(['done', 'instead', 0]);
    const none = await run(wrong, nobody, [node]);
    expect([none.run.status, none.run.reason, none.turns]).toEqual(['failed', 'n: wrong', 0]);
  });
});

describe('a model in the error handler', () => {
  it('is asked only if the graph allows it, and may change the input of the node', async () => {
    const act: Act = (input) => ((input as { q: number }).q === 2 ? ok('right') : failed('q must be 2'));
    const seen = await run(act, () => decided('retry', { input: { q: 2 } }), [node], withModel);
    expect([seen.run.status, seen.run.output, seen.turns]).toEqual(['done', 'right', 1]);
    expect(seen.handled).toEqual([
      { node: 'n', by: 'model', action: 'retry', reason: 'I chose retry', input: { q: 2 } },
    ]);
    expect(explainRun(seen.events).timeline.map(({ what, why }) => [what, why])).toContainEqual([
      'n: tried again after an error (by model)',
      'I chose retry',
    ]);
    expect(seen.run.handling.listed).toMatchObject([{ node: 'n', by: 'model', action: 'retry' }]);
  });

  it('uses the fallback, skips what nothing needs, or lets the node fail', async () => {
    const wrong = (): Outcome => failed('wrong');
    const other = { kind: 'tool', id: 'other', tool: 'look', input: 'x' };
    const fallback = await run(wrong, () => decided('fallback'), [{ ...node, fallback: 'instead' }], withModel);
    expect([fallback.run.status, fallback.run.output]).toEqual(['done', 'instead']);
    const skipped = await run(wrong, () => decided('skip'), [node, other], withModel);
    expect([skipped.run.status, skipped.run.nodes.map(({ status }) => status)]).toEqual(['done', ['skipped', 'done']]);
    const gone = await run(wrong, () => decided('fail'), [node], withModel);
    expect([gone.run.status, gone.run.reason]).toEqual(['failed', 'n: I chose fail']);
  });

  it('cannot skip what another node needs, nor use a fallback that is not there: the node has failed', async () => {
    const wrong = (): Outcome => failed('wrong');
    const next = { kind: 'tool', id: 'next', tool: 'look', needs: ['n'] };
    for (const action of ['skip', 'fallback', 'retry']) {
      const seen = await run(wrong, () => decided(action), [node, next], withModel);
      expect([seen.run.status, seen.attempts]).toEqual(['failed', 1]);
      expect(seen.run.reason).toContain('not possible here');
    }
  });

  it('that answers for ever is asked twice about a node and five times in a run', async () => {
    const nodes = Array.from({ length: 4 }, (_, index) => ({ ...node, id: `n${index}`, fallback: null }));
    let turn = 0;
    const seen = await run(
      () => failed('no'),
      () => decided('retry', { input: { q: (turn += 1) + 100 } }),
      nodes,
      withModel,
    );
    expect(seen.turns).toBe(5);
    expect(seen.attempts).toBe(4 + 5);
    expect(seen.run.status).toBe('done');
    const alone = await run(
      () => failed('no'),
      () => decided('retry', { input: { q: (turn += 1) + 100 } }),
      [node],
      withModel,
    );
    expect([alone.turns, alone.attempts, alone.run.status]).toEqual([2, 3, 'failed']);
  });

  it('that cannot be asked leaves the last resort, and the reason says so', async () => {
    const seen = await run(() => failed('wrong'), nobody, [{ ...node, fallback: 'instead' }], withModel);
    expect([seen.run.status, seen.run.output]).toEqual(['done', 'instead']);
    expect(seen.handled.map(({ reason }) => reason)).toEqual(['wrong (no model decided about it: nobody is there)']);
  });

  it('makes the call a call of the model: what it changed is no longer what a person wrote', async () => {
    const authors: string[] = [];
    const act: Tool['invoke'] = async (input, { author, origins }) => {
      authors.push(`${author} ${origins()['q'] ?? ''}`);
      return (input as { q: number }).q === 2 ? ok('right') : failed('q must be 2');
    };
    await run(
      () => ok(),
      () => decided('retry', { input: { q: 2 } }),
      [node],
      withModel,
      { invoke: act, targets: ['q'] },
    );
    expect(authors).toEqual(['operator operator', 'model tool']);
  });
});

describe('after a crash', () => {
  it('at any event the handler goes on where it was, within the same limits, and the engine agrees with a replay', async () => {
    const acts: Act = (_, attempt) => (attempt === 1 ? failed('answered 429 (retry after 5 s)') : failed('wrong'));
    let turn = 0;
    const decide = (): Outcome => decided('retry', { input: { q: (turn += 1) + 10 } });
    const nodes = [{ ...node, fallback: 'instead' }];
    const whole = await run(acts, decide, nodes, withModel);
    expect(whole.run).toMatchObject({ status: 'done', output: 'instead' });
    for (let cut = 1; cut < whole.events.length; cut += 1) {
      const artifacts = memoryArtifacts();
      const first = await run(acts, decide, nodes, withModel, {}, artifacts);
      const tools = [toolNamed('act', () => failed('wrong')), toolNamed(ERROR_DECIDE, decide, { internal: true })];
      const after = engineWith({ tools, stores: { artifacts } }, first.events.slice(0, cut));
      const ended = await (await after.engine.resume('r')).done;
      expect([cut, ended.status, ended.output]).toEqual([cut, 'done', 'instead']);
      expect(
        dataOf(after.events, 'call.started').filter(({ tool }) => tool === ERROR_DECIDE).length,
      ).toBeLessThanOrEqual(3);
      const plan = await after.engine.planFor(ended.plan.sha256);
      expect(replayDecisions(plan, after.events, () => undefined).difference).toBeNull();
    }
  });
});
