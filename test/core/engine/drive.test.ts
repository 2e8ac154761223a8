import { describe, expect, it } from 'vitest';
import { openAccount } from '../../../src/core/engine/account.ts';
import { drive } from '../../../src/core/engine/drive.ts';
import { stepEvent, outcomeEvent, stopEvent } from '../../../src/core/engine/step-events.ts';
import { memoryState } from '../../../src/core/engine/graph-state.ts';
import { memoryEvents } from '../../../src/core/engine/in-memory-stores.ts';
import { runFromStart } from '../../../src/core/engine/fold-run.ts';
import type { World } from '../../../src/core/engine/world.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Outcome, Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import { failed, graphOf, latch, ok, toolNamed } from '../../support/engine-fakes.ts';
import { eventsOf, planFor, stateAfter } from '../../support/engine-state.ts';

const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });

/** A drive over a log that tells when something is staged (+), flushed (!) and invoked. */
function driven(nodes: object[], tools: readonly Tool[], change: Partial<World> = {}) {
  const log: string[] = [];
  const events = memoryEvents(() => 0);
  const graph = graphOf(nodes);
  const [first] = eventsOf(graph, []);
  const run = first === undefined ? null : runFromStart(planFor(graph), first);
  if (run === null) throw new Error('a run begins with run.started');
  const named = new Map(tools.map((each) => [each.name, each]));
  const world: World = {
    events: {
      ...events,
      stage: (event: NewEvent): Event => {
        const staged = events.stage(event);
        log.push(`+${staged.type}${'node' in staged.data ? ` ${staged.data.node}` : ''}`);
        return staged;
      },
      flush: async () => {
        await quiet();
        log.push('!');
      },
    },
    state: memoryState(),
    clock: () => 0,
    monotonic: () => 0,
    sleep: quiet,
    tools: (name) => named.get(name),
    invoke: async (call: ToolCall) => {
      log.push(`${call.tool} ${call.node}`);
      return named.get(call.tool)?.invoke(call.input, call) ?? failed('no tool');
    },
    think: () => Promise.reject(new Error('no planner')),
    storeOutput: (outcome) => outcome,
    expect: () => null,
    ...change,
  };
  return { log, run, all: events.all, drive: drive(run, world, openAccount(new Map(), run), []) };
}

describe('drive', () => {
  it('R1 what may change anything is durable before it acts; a read need not wait', async () => {
    const tools = [toolNamed('look', () => ok()), toolNamed('write', () => ok(), { class: 'write_local' })];
    const writing = driven([tool('a', 'write')], tools);
    await writing.drive.done;
    expect(writing.log.slice(0, 3)).toEqual(['+call.started a', '!', 'write a']);
    const reading = driven([tool('a', 'look')], tools);
    await reading.drive.done;
    expect(reading.log.slice(0, 2)).toEqual(['+call.started a', 'look a']);
  });

  it('R1 every further attempt of such a call is durable, too', async () => {
    const again = toolNamed(
      'write',
      async (_, call) => {
        if (call.attempt > 1) return ok();
        const next = { ...call, attempt: 2, call: 'r.a.0.2', previous: failed('no') };
        await call.intend(next);
        return ok('second');
      },
      { class: 'write_local' },
    );
    const { drive: begun, log, all } = driven([tool('a', 'write')], [again]);
    await begun.done;
    expect(log.slice(0, 7)).toEqual([
      '+call.started a',
      '!',
      'write a',
      '+call.ended a',
      '+call.started a',
      '!',
      '+call.ended a',
    ]);
    expect(all.map(({ data }) => ('call' in data ? data.call : ''))).toEqual([
      'r.a.0.1',
      'r.a.0.1',
      'r.a.0.2',
      'r.a.0.2',
      '',
    ]);
  });

  it('R2 the outcome of one step and the intent of the next share a batch', async () => {
    const write = toolNamed('write', () => ok(), { class: 'write_local' });
    const steps = ['a', 'b', 'c'].map((id, at, ids) => tool(id, 'write', { needs: at === 0 ? [] : [ids[at - 1]] }));
    const { drive: begun, log } = driven(steps, [write]);
    await begun.done;
    const upToTheEnd = log.slice(0, log.indexOf('+run.ended'));
    expect(upToTheEnd.filter((entry) => entry === '!')).toHaveLength(3);
  });

  it('R3 a flush that fails breaks the drive, and nothing that may change anything is invoked', async () => {
    const write = toolNamed('write', () => ok(), { class: 'write_local' });
    const events = memoryEvents(() => 0);
    const { drive: begun, log } = driven([tool('a', 'write')], [write], {
      events: { ...events, flush: () => Promise.reject(new Error('no disk')) },
    });
    await expect(begun.done).rejects.toThrow('no disk');
    expect(log).toEqual([]);
  });

  it('R3 a flush that fails behind a read is not overlooked', async () => {
    const look = toolNamed('look', async () => (await quiet(), ok()));
    const { drive: begun } = driven([tool('a', 'look')], [look], {
      events: { ...memoryEvents(() => 0), flush: () => Promise.reject(new Error('no disk')) },
    });
    await expect(begun.done).rejects.toThrow('no disk');
  });

  it('an outcome that cannot be written down is a failure that says so', async () => {
    const { drive: begun } = driven([tool('a', 'look')], [toolNamed('look', () => ok(Number.NaN))]);
    expect(await begun.done).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the outcome could not be written down'),
    });
  });

  it('a middleware that throws because it was told to stop leaves the call in doubt, else it has failed', async () => {
    const thrown = (call: ToolCall): Promise<Outcome> =>
      new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const stopped = driven([tool('a', 'look')], [toolNamed('look', () => ok())], { invoke: thrown });
    await quiet();
    stopped.drive.stop({ kind: 'stop', reason: 'x' });
    expect((await stopped.drive.done).nodes[0]).toMatchObject({ status: 'running', doubt: true });
    const broken = driven([tool('a', 'look')], [toolNamed('look', () => ok())], {
      invoke: () => Promise.reject(new Error('a bug')),
    });
    expect(await broken.drive.done).toMatchObject({ status: 'failed', reason: 'a: a bug' });
  });

  it('at its end it takes in nothing more, and says so', async () => {
    const { drive: begun } = driven([tool('a', 'look')], [toolNamed('look', () => ok())]);
    await begun.done;
    expect(begun.post({ type: 'run.resumed', run: 'r', data: { reason: 'x' } })).toBe(false);
    expect(begun.stop({ kind: 'stop', reason: 'x' })).toBe(false);
  });

  it('a gentle request lets calls in flight end and starts nothing new; a second one that is not gentle ends them', async () => {
    const gate = latch<Outcome>();
    const nodes = [tool('a', 'slow'), tool('b', 'slow', { needs: ['a'] })];
    const patient = driven(nodes, [toolNamed('slow', () => gate.promise, { class: 'write_local' })]);
    await quiet();
    expect(patient.drive.stop({ kind: 'pause', reason: 'lunch', isGentle: true })).toBe(true);
    await quiet();
    gate.resolve(ok('made'));
    const run = await patient.drive.done;
    expect(run).toMatchObject({ status: 'paused', nodes: [{ status: 'done', doubt: false }, { attempt: 0 }] });
    const ended = toolNamed(
      'slow',
      (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ status: 'cancelled', error: 'killed' })),
        ),
      { class: 'write_local' },
    );
    const hurried = driven(nodes, [ended]);
    await quiet();
    hurried.drive.stop({ kind: 'pause', reason: 'lunch', isGentle: true });
    await quiet();
    expect(hurried.drive.stop({ kind: 'stop', reason: 'Ctrl-C' })).toBe(false);
    expect(await hurried.drive.done).toMatchObject({ status: 'paused', nodes: [{ doubt: true }, {}] });
    expect(hurried.all.find(({ type }) => type === 'call.ended')?.data).toMatchObject({ stopped: true });
  });

  it('the first request to stop counts', async () => {
    const { drive: begun } = driven([tool('a', 'deaf')], [toolNamed('deaf', () => new Promise(() => undefined))]);
    await quiet();
    expect([begun.stop({ kind: 'pause', reason: 'one' }), begun.stop({ kind: 'cancel', reason: 'two' })]).toEqual([
      true,
      false,
    ]);
    expect(await begun.done).toMatchObject({ status: 'paused' });
  });

  it('a wait that will not end by itself after all lets the drive come to rest', async () => {
    const gate = latch<never>();
    const until = new Date(5000).toISOString();
    const { drive: begun } = driven([{ kind: 'wait', id: 'w', for: { kind: 'timer', until } }], [], {
      expect: () => gate.promise,
    });
    await quiet();
    gate.reject(new Error('nobody knows'));
    expect(await begun.done).toMatchObject({ status: 'blocked' });
  });

  it('a hook before the run that refuses ends it before anything starts', async () => {
    const { run, drive: begun } = driven([tool('a', 'look')], []);
    await begun.done;
    const refused = stateAfter(run.plan.graph);
    const zero = (): number => 0;
    const world = { events: memoryEvents(zero), clock: zero, monotonic: zero } as unknown as World;
    const refusal: NewEvent = { type: 'run.ended', run: 'r', data: { status: 'failed', reason: 'not today' } };
    const { done } = drive(refused, world, openAccount(new Map(), refused), [], async () => refusal);
    expect(await done).toMatchObject({ status: 'failed', reason: 'not today', spent: { tool_calls: 0 } });
  });
});

describe('events of steps', () => {
  const run = stateAfter(graphOf([tool('a', 'look', { on_error: 'fallback', fallback: 1 }), tool('b', 'look')]));

  it('an outcome says what it makes of its node', () => {
    const settles = (node: string, outcome: Outcome) =>
      outcomeEvent(run, { call: `r.${node}.0.1`, node }, outcome, false).data;
    expect(settles('a', ok())).toMatchObject({ settles: 'done' });
    expect(settles('a', failed('x'))).toMatchObject({ settles: 'done' });
    expect(settles('b', failed('x'))).toMatchObject({ settles: 'failed' });
    expect(settles('b', { status: 'denied', error: 'x' })).toMatchObject({ settles: 'failed' });
    expect(settles('b', { status: 'cancelled', error: 'x' })).not.toHaveProperty('settles');
    expect(settles('b', { status: 'waiting', for: { kind: 'question', text: 'x' } })).not.toHaveProperty('settles');
  });

  it('reasons and errors are cut to what the schema of events takes', () => {
    const long = 'x'.repeat(30_000);
    const events = [
      stepEvent(run, { kind: 'Fail', reason: long }),
      stepEvent(run, { kind: 'Settle', node: 'a', status: 'failed', reason: long, output: null }),
      outcomeEvent(run, { call: 'r.a.0.1', node: 'a' }, failed(long), false),
    ];
    const store = memoryEvents(() => 0);
    for (const event of events) expect(() => store.stage(event)).not.toThrow();
  });

  it('a mere stop leaves no trace, a pause and a cancellation do', () => {
    const types = (['stop', 'pause', 'cancel'] as const).map(
      (kind) => stopEvent(run, { kind, reason: 'x' })?.type ?? null,
    );
    expect(types).toEqual([null, 'run.paused', 'run.ended']);
  });
});
