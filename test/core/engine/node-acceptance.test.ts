/** A step is done only when its acceptance holds, and a call in doubt is settled by it only when it can tell. */
import { describe, expect, it } from 'vitest';
import type { EngineOptions } from '../../../src/core/engine/engine-context.ts';
import { planOf } from '../../../src/core/engine/graph-plan.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { simulate } from '../../../src/core/engine/simulate-graph.ts';
import { defaultStates } from '../../../src/core/engine/agent-states.ts';
import { STEP_CHECK, type StepCheckInput } from '../../../src/core/schema/acceptance.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Middleware, Planner } from '../../../src/core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import type { Engine } from '../../../src/core/engine/engine.ts';
import {
  dataOf,
  engineWith as engineOver,
  failed,
  fakeTime,
  graphOf,
  memoryArtifacts,
  ok,
  type Seen,
  toolNamed,
} from '../../support/engine-fakes.ts';

/** Graphs outlive an engine. */
const artifacts = memoryArtifacts();
const engineWith = (options: Partial<EngineOptions>, survived: readonly Event[] = []): Seen =>
  engineOver({ ...options, stores: { artifacts } }, survived);

/** A world of files: writing adds one, a check says which of the named files are there. */
function worldWith(files: string[] = []): { files: Set<string>; check: Tool; write: Tool; checked: StepCheckInput[] } {
  const there = new Set(files);
  const checked: StepCheckInput[] = [];
  const check = toolNamed(STEP_CHECK, (input) => {
    const asked = input as StepCheckInput;
    checked.push(asked);
    const missing = asked.checks.filter((each) => !there.has(each));
    return ok({
      holds: missing.length === 0,
      reason: missing.map((each) => `${each} is not there`).join('; '),
      found: [],
    });
  });
  const write = toolNamed('write', (input) => (there.add(input as string), ok(`wrote ${input as string}`)), {
    class: 'write_local',
  });
  return { files: there, check, write, checked };
}

const BINDING = 'b'.repeat(64);
const node = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'write', input: id, ...rest });

function assertReplays(graph: Graph, events: readonly Event[], tools: readonly Tool[], run = 'r'): void {
  const mine = events.filter((event) => event.run === run);
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  expect(replayDecisions(planOf(graph, '', defaultStates), mine, (name) => named.get(name)).difference).toBeNull();
}

async function outcomeOf(graph: Graph, options: { tools: readonly Tool[] }) {
  const seen = engineWith(options);
  const run = await (await seen.engine.start(graph, { id: 'r' })).done;
  assertReplays(graph, seen.events, options.tools);
  assertReplays(graph, seen.events, []);
  return { run, ...seen };
}

describe('A1 a step with acceptance', () => {
  it('is done when its checks hold, with the output of its own call', async () => {
    const { check, write, checked } = worldWith();
    const graph = graphOf([node('a', { acceptance: ['a'] }), node('b', { needs: ['a'], input: '{{a}}' })]);
    const { run, events } = await outcomeOf(graph, { tools: [check, write] });
    expect(run).toMatchObject({ status: 'done', output: 'wrote wrote a' });
    expect(checked.map(({ when }) => when)).toEqual(['before', 'after']);
    expect(dataOf(events, 'node.settled')).toMatchObject([{ node: 'a', status: 'done', output: 'wrote a' }]);
    expect(dataOf(events, 'call.started').map(({ call, node: of, tool }) => [call, of, tool])).toEqual([
      ['r.a.0.c1', null, STEP_CHECK],
      ['r.a.0.1', 'a', 'write'],
      ['r.a.0.c2', null, STEP_CHECK],
      ['r.b.0.1', 'b', 'write'],
    ]);
  });

  it('has failed when they do not hold, and its end and its events say why', async () => {
    const { check, write } = worldWith();
    const graph = graphOf([node('a', { acceptance: ['never-there.txt'] }), node('b', { needs: ['a'] })]);
    const { run, events } = await outcomeOf(graph, { tools: [check, write] });
    const reason = 'its acceptance is not met: never-there.txt is not there';
    expect(run).toMatchObject({ status: 'failed', reason: `a: ${reason}` });
    expect(dataOf(events, 'node.settled')).toMatchObject([{ node: 'a', status: 'failed', reason }]);
    expect(dataOf(events, 'call.ended').find(({ node: of }) => of === 'a')?.settles).toBeUndefined();
    expect(dataOf(events, 'call.started').some(({ node: of }) => of === 'b')).toBe(false);
  });

  it('goes on with its fallback when they do not hold', async () => {
    const { check, write } = worldWith();
    const lenient = { acceptance: ['x'], on_error: 'fallback', fallback: 'instead' };
    const { run } = await outcomeOf(graphOf([node('a', lenient)]), { tools: [check, write] });
    expect(run).toMatchObject({ status: 'done', output: 'instead' });
  });

  it('is done again as often as its retries and the budget allow, unless it changes something and is not idempotent', async () => {
    const attempts = async (
      rest: object,
      budgets = {},
      effect: 'write_local' | 'external_mutation' = 'write_local',
      idempotent = true,
    ) => {
      let tries = 0;
      const { check, files } = worldWith();
      const tool = toolNamed('write', () => ((tries += 1) === 3 && files.add('x'), ok(tries)), {
        class: effect,
        annotations: { idempotent },
      });
      const graph = graphOf([node('a', { acceptance: ['x'], ...rest })], { budgets });
      const { run } = await outcomeOf(graph, { tools: [check, tool] });
      return [run.status, tries, run.spent.retries];
    };
    expect(await attempts({ max_retries: 2 })).toEqual(['done', 3, 2]);
    expect(await attempts({ on_error: 'retry' })).toEqual(['done', 3, 2]);
    expect(await attempts({ max_retries: 1 })).toEqual(['failed', 2, 1]);
    expect(await attempts({})).toEqual(['failed', 1, 0]);
    expect(await attempts({ max_retries: 5 }, { retries: 1 })).toEqual(['failed', 2, 1]);
    expect(await attempts({ max_retries: 5 }, {}, 'external_mutation')).toEqual(['failed', 1, 0]);
    expect(await attempts({ max_retries: 5 }, {}, 'write_local', false)).toEqual(['failed', 1, 0]);
  });

  it('takes an edge back only when it was accepted', async () => {
    const { check, write } = worldWith(['x']);
    const edges = [{ from: 'b', to: 'a', when: { field: '', equals: 'wrote b' }, max: 2 }];
    const graph = graphOf([node('a'), node('b', { needs: ['a'], acceptance: ['x'] })], { edges });
    const { run, events } = await outcomeOf(graph, { tools: [check, write] });
    expect(run.taken).toEqual([2]);
    expect(dataOf(events, 'call.started').filter(({ tool }) => tool === STEP_CHECK)).toHaveLength(6);
  });

  it('that cannot be checked has failed', async () => {
    const { write } = worldWith();
    const check = toolNamed(STEP_CHECK, () => failed('the disk is gone'));
    const { run } = await outcomeOf(graphOf([node('a', { acceptance: ['a'] })]), { tools: [check, write] });
    expect(run.reason).toBe('a: its acceptance is not met: it could not be checked: the disk is gone');
  });

  it('whose fallback was taken because its call failed is not checked', async () => {
    const { check, checked } = worldWith();
    const lenient = { acceptance: ['x'], on_error: 'fallback', fallback: 'instead' };
    const tools = [check, toolNamed('write', () => failed('no'))];
    expect((await outcomeOf(graphOf([node('a', lenient)]), { tools })).run.output).toBe('instead');
    expect(checked.map(({ when }) => when)).toEqual(['before']);
  });
});

describe('every kind of node', () => {
  it('a wait is checked when it was answered', async () => {
    const { check } = worldWith();
    const graph = graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'Well?' }, acceptance: ['x'] }]);
    const { engine, events } = engineWith({ tools: [check] });
    await (await engine.start(graph, { id: 'r' })).done;
    const run = await (await engine.answer('r', 'r.w.0.w0', { verdict: 'answered', text: 'yes' })).done;
    expect(run.reason).toBe('w: its acceptance is not met: x is not there');
    expect(dataOf(events, 'wait.closed')).toMatchObject([{ becomes: 'running' }]);
    assertReplays(graph, events, [check]);
  });

  it('a map and its items are checked, each by its own', async () => {
    const { check, write, checked } = worldWith();
    const map = { kind: 'map', id: 'm', over: '{{input}}', acceptance: ['p', 'q'] };
    const graph = graphOf([
      { ...map, each: { kind: 'tool', id: 'x', tool: 'write', input: '{{item}}', acceptance: ['p'] } },
    ]);
    const start = async (input: string[]) => {
      const { engine, events } = engineWith({ tools: [check, write] });
      const run = await (await engine.start(graph, { id: 'r', input })).done;
      assertReplays(graph, events, [check, write]);
      return run;
    };
    expect(await start(['p', 'q'])).toMatchObject({ status: 'done', output: ['wrote p', 'wrote q'] });
    expect(checked.map(({ node: of, when }) => `${of} ${when}`).toSorted()).toEqual([
      'm after',
      'm__0 after',
      'm__0 before',
      'm__1 after',
      'm__1 before',
    ]);
    expect(await start([])).toMatchObject({ status: 'done', output: [] });
  });

  it('a run inside is checked when it has ended, and is not started again', async () => {
    const { check, write } = worldWith();
    const child = graphOf([node('c')], { id: 'child' });
    let engine: Engine | undefined;
    const start = runTool(({ graph, input, call }) => (engine as Engine).startChild(graph, input, call));
    const graph = graphOf([{ kind: 'graph', id: 'g', graph: 'child', acceptance: ['x'], max_retries: 3 }]);
    const seen = engineWith({ tools: [check, write, start], graphs: () => child });
    engine = seen.engine;
    const run = await (await engine.start(graph, { id: 'r' })).done;
    expect(run.reason).toBe('g: its acceptance is not met: x is not there');
    expect(dataOf(seen.events, 'run.started')).toHaveLength(2);
    assertReplays(graph, seen.events, [check, write, start]);
  });

  it('an agent that says it has finished is told what does not hold, and goes on as often as it may retry', async () => {
    const { check, write } = worldWith();
    const problems: (string | null)[] = [];
    const planner = (after: number): Planner => ({
      decide: ({ turn, problem }) => {
        problems.push(problem);
        return turn === after
          ? { kind: 'CallTool', tool: 'write', input: 'x', rationale: '' }
          : { kind: 'Finish', output: turn, rationale: '' };
      },
    });
    const states = { start: 'act', states: { act: { to: [], classes: ['read', 'write_local'] as const } } };
    const lives = async (after: number, max_retries: number) => {
      const graph = graphOf([{ kind: 'agent', id: 'a', goal: 'g', acceptance: ['x'], max_retries }]);
      const options = { tools: [check, write], planner: planner(after), states: states as never };
      const seen = engineWith(options);
      return (await seen.engine.start(graph, { id: 'r' })).done;
    };
    expect(await lives(1, 0)).toMatchObject({
      status: 'failed',
      reason: 'a: its acceptance is not met: x is not there',
    });
    expect(await lives(1, 1)).toMatchObject({ status: 'done', output: 2 });
    expect(problems).toContain('its acceptance is not met: x is not there');
  });
});

describe('A2 a call in doubt', () => {
  /** Dies while the call of `a` is in flight; gives what survived, and how the next engine goes on. */
  async function afterCrash(first: { files: string[]; leaves: string[]; rest?: object }, change: Partial<Tool> = {}) {
    const world = worldWith(first.files);
    const graph = graphOf([node('a', { acceptance: ['x'], ...first.rest })]);
    const started = Promise.withResolvers<void>();
    const dying = toolNamed(
      'write',
      () => {
        for (const file of first.leaves) world.files.add(file);
        started.resolve();
        return new Promise<Outcome>(() => undefined);
      },
      { class: 'write_local', ...change },
    );
    const before = engineWith({ tools: [world.check, dying] });
    await before.engine.start(graph, { id: 'r' });
    await started.promise;
    const survived = [...before.events];
    const tools = [
      world.check,
      toolNamed('write', () => (world.files.add('x'), ok('again')), { class: 'write_local', ...change }),
    ];
    const after = engineWith({ tools }, survived);
    const run = await (await after.engine.resume('r')).done;
    assertReplays(graph, after.events, tools);
    const asked = dataOf(after.events, 'wait.opened').map(({ for: awaited }) =>
      'text' in awaited ? awaited.text : '',
    );
    return { run, asked, events: after.events, engine: after.engine, checked: world.checked.map(({ when }) => when) };
  }

  it('counts as done without asking when its acceptance holds now and did not right before it', async () => {
    const { run, asked, events, checked } = await afterCrash({ files: [], leaves: ['x'] });
    expect(run).toMatchObject({ status: 'done', output: null });
    expect(asked).toEqual([]);
    expect(checked).toEqual(['before', 'doubt']);
    expect(dataOf(events, 'call.started').filter(({ tool }) => tool === 'write')).toHaveLength(1);
    expect(dataOf(events, 'node.settled')).toMatchObject([
      { node: 'a', status: 'done', reason: 'its acceptance is met, which it was not before the call' },
    ]);
  });

  it('is asked about when its acceptance held before: that it holds now proves nothing', async () => {
    const { run, asked, checked } = await afterCrash({ files: ['x'], leaves: [] });
    expect(run.status).toBe('blocked');
    expect(asked).toEqual([expect.stringContaining('Did it happen?')]);
    expect(checked).toEqual(['before']);
  });

  it('is asked about when its acceptance is not met', async () => {
    const { run, asked, checked } = await afterCrash({ files: [], leaves: ['y'] });
    expect([run.status, asked.length, checked]).toEqual(['blocked', 1, ['before', 'doubt']]);
  });

  it('is asked about when it is a later attempt, for nobody checked right before that one', async () => {
    const world = worldWith();
    let tries = 0;
    const started = Promise.withResolvers<void>();
    const flaky = toolNamed(
      'write',
      () => {
        world.files.add('x');
        if ((tries += 1) === 1) return failed('half done');
        started.resolve();
        return new Promise<Outcome>(() => undefined);
      },
      { class: 'write_local' },
    );
    const retry = { name: 'retry', call: retryOnce };
    const graph = graphOf([node('a', { acceptance: ['x'], max_retries: 1 })]);
    const before = engineWith({ tools: [world.check, flaky], middleware: [retry] });
    await before.engine.start(graph, { id: 'r' });
    await started.promise;
    const after = engineWith({ tools: [world.check, world.write] }, [...before.events]);
    expect((await (await after.engine.resume('r')).done).status).toBe('blocked');
    expect(world.checked.map(({ when }) => when)).toEqual(['before']);
  });

  it('that does no harm twice is repeated, so that its output is there', async () => {
    const { run, asked } = await afterCrash(
      { files: [], leaves: ['x'] },
      {
        annotations: { read_only: false, destructive: false, idempotent: true, cacheable: false, risk: 'low' },
      },
    );
    expect([run.status, run.output, asked]).toEqual(['done', 'again', []]);
  });

  it('that a person says was done is not done when its acceptance is not met', async () => {
    const { engine } = await afterCrash({ files: [], leaves: [] });
    const run = await (await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text: 'done' })).done;
    expect(run.reason).toBe('a: its acceptance is not met: x is not there');
  });

  it('a check that was in flight is made again, and every check has an outcome', async () => {
    const world = worldWith();
    const started = Promise.withResolvers<void>();
    const hanging = toolNamed(STEP_CHECK, (input, call) => {
      if ((input as StepCheckInput).when === 'before') return world.check.invoke(input, call);
      started.resolve();
      return new Promise<Outcome>(() => undefined);
    });
    const graph = graphOf([node('a', { acceptance: ['a'] })]);
    const before = engineWith({ tools: [hanging, world.write] });
    await before.engine.start(graph, { id: 'r' });
    await started.promise;
    const tools = [world.check, world.write];
    const after = engineWith({ tools }, [...before.events]);
    expect(await (await after.engine.resume('r')).done).toMatchObject({ status: 'done', output: 'wrote a' });
    expect(dataOf(after.events, 'call.started').filter(({ tool }) => tool === 'write')).toHaveLength(1);
    expect(
      dataOf(after.events, 'call.ended')
        .map(({ call }) => call)
        .toSorted(),
    ).toEqual(
      dataOf(after.events, 'call.started')
        .map(({ call }) => call)
        .toSorted(),
    );
    assertReplays(graph, after.events, tools);
  });
});

describe('around it', () => {
  it('a check that has to be approved waits, and goes on with the approval', async () => {
    const { write } = worldWith();
    const approvals: (string | null)[] = [];
    const check = toolNamed(STEP_CHECK, (input, { approval }) => {
      approvals.push(approval);
      if ((input as StepCheckInput).when === 'before') return ok({ holds: false, reason: '', found: [] });
      return approval === null
        ? { status: 'waiting', for: { kind: 'approval', binding: BINDING, text: 'May I look?' } }
        : ok({ holds: true, reason: '', found: [] });
    });
    const graph = graphOf([node('a', { acceptance: ['a'] })]);
    const { engine, events } = engineWith({ tools: [check, write] });
    expect((await (await engine.start(graph, { id: 'r' })).done).status).toBe('blocked');
    expect((await (await engine.answer('r', 'r.a.0.w0', { verdict: 'approved' })).done).status).toBe('done');
    expect(approvals).toEqual([null, null, BINDING]);
    assertReplays(graph, events, [check, write]);
    const refused = engineWith({ tools: [check, write] });
    await (await refused.engine.start(graph, { id: 'r' })).done;
    const run = await (await refused.engine.answer('r', 'r.a.0.w0', { verdict: 'denied' })).done;
    expect(run.reason).toBe('a: its acceptance is not met: it could not be checked: approval denied');
  });

  it('a graph with acceptance is refused where nothing could check it, and where a text is no check', async () => {
    const { check, write } = worldWith();
    const graph = graphOf([node('a', { acceptance: ['hm'] })]);
    await expect(engineWith({ tools: [write] }).engine.start(graph, { id: 'r' })).rejects.toThrow(
      'nodes.0.acceptance.0: it would not be checked: there is no tool "step.check"',
    );
    const acceptance = (): string => 'no check';
    await expect(engineWith({ tools: [write, check], acceptance }).engine.start(graph, { id: 'r' })).rejects.toThrow(
      'nodes.0.acceptance.0: no check',
    );
  });

  it('A4 a run of an earlier version, whose acceptance nobody checked, goes on as it was', async () => {
    const { check, write } = worldWith();
    const graph = graphOf([node('a', { acceptance: ['x'] }), node('b', { needs: ['a'] })]);
    const before = engineWith({ tools: [check, write] });
    await (await before.engine.start(graph, { id: 'r' })).done;
    const [started] = before.events;
    if (started?.type !== 'run.started') throw new Error('no start');
    const { acceptance: _, ...data } = started.data;
    const call = { call: 'r.a.0.1', node: 'a' };
    const old: Event[] = [
      { ...started, data },
      {
        ...started,
        seq: 2,
        type: 'call.started',
        data: { ...call, attempt: 1, tool: 'write', class: 'write_local', input: 'a' },
      },
      { ...started, seq: 3, type: 'call.ended', data: { ...call, status: 'ok', output: 'old', settles: 'done' } },
    ];
    const after = engineWith({ tools: [check, write] }, old);
    const run = await (await after.engine.resume('r')).done;
    expect(run).toMatchObject({ status: 'done' });
    expect(
      dataOf(
        after.events.filter((event) => event.run === 'r'),
        'call.started',
      ).map(({ tool }) => tool),
    ).toEqual(['write', 'write']);
  });

  it('a simulation takes every check to hold, so that what is behind it is seen', async () => {
    const { check, write } = worldWith();
    const { clock, sleep } = fakeTime();
    const graph = graphOf([node('a', { acceptance: ['x'] }), node('b', { needs: ['a'] })]);
    for (const tools of [[write], [write, check]]) {
      const simulation = await simulate({ tools, clock, sleep }, graph, null);
      expect([simulation.status, simulation.calls.map((each) => each.tool)]).toEqual(['done', ['write', 'write']]);
    }
  });

  it('a step that was accepted is kept when a failed run is continued', async () => {
    const { check, write, checked, files } = worldWith();
    const graph = graphOf([node('a', { acceptance: ['a'] }), node('b', { needs: ['a'], acceptance: ['x'] })]);
    const { engine } = engineWith({ tools: [check, write] });
    await (await engine.start(graph, { id: 'r' })).done;
    files.add('x');
    const run = await (await engine.resume('r', { newId: 'r2' })).done;
    expect(run).toMatchObject({ id: 'r2', status: 'done' });
    expect(checked.map(({ node: of, when }) => `${of} ${when}`)).toEqual([
      'a before',
      'a after',
      'b before',
      'b after',
      'b before',
      'b after',
    ]);
  });
});

/** As the chain does it: another attempt is announced before it is made. */
async function retryOnce(
  call: Parameters<NonNullable<Middleware['call']>>[0],
  next: (call: ToolCall) => Promise<Outcome>,
): Promise<Outcome> {
  const first = await next(call);
  if (first.status !== 'failed') return first;
  const again = {
    ...call,
    attempt: call.attempt + 1,
    call: call.call.replace(/\d+$/, String(call.attempt + 1)),
    previous: first,
  };
  await call.intend(again);
  return next(again);
}
