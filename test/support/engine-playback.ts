/** Carries a scenario to its end: runs it, crashes, takes what survived, resumes, answers what is asked. */
import type { Drive } from '../../src/core/engine/drive.ts';
import { createEngine, type Engine } from '../../src/core/engine/engine.ts';
import { memoryCache, memoryRuns } from '../../src/core/engine/in-memory-stores.ts';
import type { RunState } from '../../src/core/engine/run-state.ts';
import { chooseTool } from '../../src/rooms/graphs/choose-tool.ts';
import { templateTool } from '../../src/rooms/graphs/template-tool.ts';
import { STEP_CHECK, type StepCheckInput } from '../../src/core/schema/acceptance.ts';
import type { Decision } from '../../src/core/schema/decision.ts';
import { ERROR_DECIDE } from '../../src/core/schema/error-handling.ts';
import { OkaError } from '../../src/core/schema/errors.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type { Planner } from '../../src/core/schema/ports.ts';
import type { SideEffectClass } from '../../src/core/schema/effect.ts';
import type { Outcome, Tool, ToolCall } from '../../src/core/schema/tool.ts';
import type { WaitAnswer, WaitFor } from '../../src/core/schema/wait.ts';
import { runTool } from '../../src/rooms/desk/tools/run-tool.ts';
import { standardChain } from '../../src/core/chain/chain.ts';
import { cautiousJudge, type Judge } from '../../src/core/chain/middleware/authorize.ts';
import { type CrashingEvents, crashingEvents } from './engine-crash.ts';
import { fakeTime, memoryArtifacts, toolNamed } from './engine-fakes.ts';
import { type Scenario, type ToolName, toolNames } from './engine-scenario.ts';

/** One time that a tool itself was reached, with what the store contained at that moment. */
export type Invocation = { call: ToolCall; staged: number; durable: number };

export type Life = {
  events: readonly Event[];
  /** What was there when it began. */
  survived: number;
  crashed: boolean;
  invocations: Invocation[];
  /** Runs that are not over, as the engine has them in memory. */
  resting: RunState[];
  /** The states of the runs that were driven, as the drives left them. */
  driven: RunState[];
  /** Drives that were started and have not ended, and why others failed. */
  hanging: number;
  broken: string[];
  /** Which version of the world each event found. */
  versions: number[];
};

export type Story = {
  scenario: Scenario;
  lives: Life[];
  tools: ReadonlyMap<string, Tool>;
  planFor: Engine['planFor'];
  artifacts: ReadonlyMap<string, Buffer>;
  /** Large outputs as they left the tool. */
  large: ReadonlySet<string>;
};

type World = {
  version: number;
  /** Below a limit, by seed: the same scenario gives the same story. */
  choose: (below: number) => number;
  large: Set<string>;
  waits: number;
};

const MOST_ANSWERS = 40;
const MOST_WAITS = 12;
export const LARGE = 70_000;

export async function playScenario(scenario: Scenario): Promise<Story> {
  const time = fakeTime();
  const world: World = { version: 1, choose: choices(scenario.seed), large: new Set(), waits: 0 };
  const [artifacts, cache, runs] = [memoryArtifacts(), memoryCache(), memoryRuns()];
  const lives: Life[] = [];
  for (let survived: readonly Event[] = []; ; ) {
    const store = crashingEvents(time.clock, survived, scenario.crashes[lives.length] ?? Number.POSITIVE_INFINITY);
    const life: Life = {
      events: store.all,
      survived: survived.length,
      crashed: false,
      invocations: [],
      resting: [],
      driven: [],
      hanging: 0,
      broken: [],
      versions: [],
    };
    const tools = [
      ...worldTools(scenario, world, store, life),
      checkTool(world, store),
      runTool(({ graph, input, call }) => engine.startChild(graph, input, call)),
    ];
    const judge: Judge =
      scenario.judge === 'cautious'
        ? cautiousJudge
        : (call) => ({ effect: call.class === 'deny' ? 'deny' : 'allow', why: '' });
    const engine: Engine = createEngine({
      tools,
      clock: time.clock,
      sleep: time.sleep,
      states: scenario.states,
      planner: randomPlanner(world),
      graphs: () => scenario.child,
      stores: { events: noting(store, life, world), artifacts, ...(scenario.seed % 2 === 0 ? { runs } : {}) },
      middleware: standardChain({
        tools,
        clock: time.clock,
        sleep: time.sleep,
        cache,
        judge,
        diagnose: (_, { error }) => (error === 'missing' ? { kind: 'requirement', name: 'it' } : null),
      }),
    });
    lives.push(life);
    const living = live(engine, scenario, life, world).catch((error: unknown) => {
      if (!store.hasCrashed()) throw error;
    });
    await Promise.race([living, store.crash]);
    life.crashed = store.hasCrashed();
    if (!life.crashed)
      return {
        scenario,
        lives,
        tools: new Map(tools.map((tool) => [tool.name, tool])),
        planFor: engine.planFor,
        artifacts: artifacts.kept,
        large: world.large,
      };
    const lost = store.all.length - store.durable();
    survived = store.all.slice(0, store.durable() + world.choose(lost + 1));
  }
}

async function live(engine: Engine, scenario: Scenario, life: Life, world: World): Promise<void> {
  const follow = ({ run, done }: Drive): void => {
    life.driven.push(run);
    life.hanging += 1;
    done.catch((error: unknown) => life.broken.push(String(error))).finally(() => (life.hanging -= 1));
  };
  const open = unfinishedRuns(life);
  const isFirst = !life.events.some((event) => event.run === 'r');
  if (isFirst)
    follow(await engine.start(scenario.graph, { id: 'r', input: { list: [1, 2, 3] }, budgets: scenario.budgets }));
  for (const id of world.choose(2) === 0 ? open : open.toReversed()) {
    const drive = await engine.resume(id).catch(ofRunThatEnded);
    if (drive !== null) follow(drive);
  }
  if (isFirst && scenario.stop !== null) {
    for (let left = scenario.stop.after; left > 0; left -= 1) await Promise.resolve();
    await engine.stop('r', { kind: scenario.stop.kind, reason: 'told to' }).catch(() => undefined);
    if (unfinishedRuns(life).includes('r')) follow(await engine.resume('r'));
  }
  await settle();
  const linked = await startLinked(engine, scenario, life);
  if (linked !== null) {
    follow(linked);
    await settle();
  }
  const states = await Promise.all(unfinishedRuns(life).map((id) => engine.stateOf(id)));
  life.resting = states.filter((state) => state !== null);

  async function settle(): Promise<void> {
    await quiet();
    for (let answers = 0; answers < MOST_ANSWERS && (await answerSome(engine, life, world, follow)); answers += 1)
      await quiet();
  }
}

/** Makes the run `s` from `r`, once that is over: with the graph as somebody has reworded it meanwhile. */
async function startLinked(engine: Engine, { graph, link }: Scenario, { events }: Life): Promise<Drive | null> {
  const end = events.find((event) => event.type === 'run.ended' && event.run === 'r');
  if (link === undefined || end?.type !== 'run.ended' || events.some(({ run }) => run === 's')) return null;
  const reworded = { ...graph, nodes: graph.nodes.map((node) => ({ ...node, title: `the step ${node.id}` })) };
  if (end.data.status === 'failed')
    return engine.startLinked({ id: 's', link: { kind: 'resume', run: 'r' }, graph: reworded });
  const node = graph.nodes[link.from]?.id;
  const hasRun = node !== undefined && (await engine.nodeStart('r', node).then(Boolean, () => false));
  return engine.startLinked({
    id: 's',
    link: { kind: 'replay', run: 'r', ...(hasRun ? { node } : {}) },
    graph: reworded,
  });
}

/** A run inside goes on with the one around it, and may have ended before its own turn came. */
function ofRunThatEnded(error: unknown): null {
  if (error instanceof OkaError && error.code === 'run-is-over') return null;
  throw error;
}

/** Nothing here takes time, so that whatever can happen has happened. */
const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function unfinishedRuns({ events }: Life): string[] {
  const ended = new Set(events.filter((event) => event.type === 'run.ended').map((event) => event.run));
  return events.flatMap((event) =>
    event.type === 'run.started' && event.run !== null && !ended.has(event.run) ? [event.run] : [],
  );
}

/** Answers one or two of the questions that people can answer; false when there are none. */
async function answerSome(engine: Engine, life: Life, world: World, follow: (drive: Drive) => void): Promise<boolean> {
  const states = await Promise.all(unfinishedRuns(life).map((id) => engine.stateOf(id)));
  const asked = states.flatMap((run) =>
    [...(run?.waits.values() ?? [])]
      .filter(({ for: { kind } }) => kind !== 'child' && kind !== 'timer')
      .map((wait) => ({ run: run?.id ?? '', wait })),
  );
  const chosen = asked.slice(world.choose(asked.length)).slice(0, 1 + world.choose(2));
  const given = await Promise.allSettled(
    chosen.map(({ run, wait }) => engine.answer(run, wait.wait, answerTo(wait.for, world))),
  );
  for (const each of given) if (each.status === 'fulfilled') follow(each.value);
  return chosen.length > 0;
}

function answerTo(awaited: WaitFor, { choose }: World): WaitAnswer {
  if (awaited.kind === 'approval')
    return {
      verdict:
        (['approved', 'approved', 'approved', 'approved', 'denied', 'answered', 'expired'] as const)[choose(7)] ??
        'denied',
    };
  if (awaited.kind === 'question' && awaited.options !== undefined)
    return { verdict: 'answered', text: awaited.options[choose(awaited.options.length)] ?? '' };
  return choose(5) === 0 ? { verdict: 'denied' } : { verdict: 'answered', text: `so ${choose(3)}` };
}

/** Notes which version of the world each event found. */
function noting(store: CrashingEvents, life: Life, world: World): CrashingEvents {
  return {
    ...store,
    stage: (event) => {
      life.versions[store.all.length] = world.version;
      return store.stage(event);
    },
  };
}

const classes: Readonly<Record<ToolName, SideEffectClass>> = {
  look: 'read',
  sum: 'read',
  peek: 'read',
  large: 'read',
  model: 'read',
  note: 'write_local',
  write: 'write_local',
  post: 'external_mutation',
  send: 'external_mutation',
  never: 'deny',
  human: 'read',
  limited: 'read',
};

function worldTools({ handles }: Scenario, world: World, store: CrashingEvents, life: Life): Tool[] {
  const names: ToolName[] = [...toolNames, ...(handles === true ? (['limited'] as const) : [])];
  const tools = names.map((name) => {
    const idempotent = name === 'note' || name === 'post' || classes[name] === 'read';
    return toolNamed(
      name,
      async (input, call) => {
        if (store.hasCrashed()) return new Promise<Outcome>(() => undefined);
        noteInvocation(call);
        const version = world.version;
        if (classes[name] !== 'read') world.version += 1;
        await pauseALittle(world);
        return outcomeOf(name, input, world, version);
      },
      {
        class: classes[name],
        ...(classes[name] === 'read' ? { parallel: true } : {}),
        annotations: { idempotent, cacheable: name === 'look' || name === 'sum' },
        ...(name === 'look' ? { fingerprint: async () => `version ${world.version}` } : {}),
        ...(name === 'model' ? { estimate: () => ({ tokens_in: 5, tokens_out: 5 }) } : {}),
      },
    );
  });
  return handles === true ? [...tools, ...toolsOfModels(world, store, noteInvocation)] : tools;

  function noteInvocation(call: ToolCall): void {
    life.invocations.push({ call, staged: store.all.length, durable: store.durable() });
  }
}

/** The real tools of the nodes that ask a model, over a model that answers this or that. */
function toolsOfModels(world: World, store: CrashingEvents, noteInvocation: (call: ToolCall) => void): Tool[] {
  const untilCrash = (name: string, act: (input: Json) => Outcome): Tool =>
    toolNamed(
      name,
      async (input, call) => {
        if (store.hasCrashed()) return new Promise<Outcome>(() => undefined);
        noteInvocation(call);
        await pauseALittle(world);
        return act(input);
      },
      { internal: true, annotations: { idempotent: true } },
    );
  return [
    untilCrash('model.complete', (input) => randomAnswer(input, world)),
    untilCrash(ERROR_DECIDE, (input) => randomDecision(input, world)),
    templateTool(() => null),
    chooseTool(() => null),
  ];
}

async function pauseALittle({ choose }: World): Promise<void> {
  for (let left = choose(8); left > 0; left -= 1) await Promise.resolve();
}

/** Checks find this or that, fail, and now and then have to wait. */
function checkTool(world: World, store: CrashingEvents): Tool {
  const { choose } = world;
  return toolNamed(STEP_CHECK, async (input) => {
    if (store.hasCrashed()) return new Promise<Outcome>(() => undefined);
    for (let left = choose(8); left > 0; left -= 1) await Promise.resolve();
    const { when } = input as StepCheckInput;
    const luck = choose(20);
    if (luck === 0) return { status: 'failed', error: 'no luck' };
    if (luck === 1) throw new Error('the check broke');
    if (luck === 2 && when === 'after' && (world.waits += 1) <= MOST_WAITS)
      return { status: 'waiting', for: { kind: 'question', text: 'May I look?' } };
    const holds = luck === 3 ? null : when === 'before' ? luck < 8 : luck < 14;
    return { status: 'ok', output: { holds, reason: holds === true ? '' : 'something is missing', found: [] } };
  });
}

/** What a cacheable tool gives follows from its input and, for `look`, the version of the world alone. */
export function pureOutput(name: string, input: Json, version: number): Json {
  const known = JSON.stringify(input).length;
  return { flag: known % 2 === 0, list: [known], ...(name === 'look' ? { version } : {}) };
}

function outcomeOf(name: ToolName, input: Json, world: World, version: number): Outcome {
  const { choose } = world;
  if (name === 'limited' && choose(4) > 0) return limitedOutcome(choose(8));
  const usage = name === 'model' ? { usage: { tokens_in: choose(6), tokens_out: choose(6) } } : {};
  const luck = choose(30);
  if (luck < (name === 'model' ? 10 : 2))
    return { status: 'failed', error: `no luck ${choose(3)}`, temporary: luck === 0, ...usage };
  if (luck === 2) throw new Error('the tool broke');
  if (name === 'look' || name === 'sum') return { status: 'ok', output: pureOutput(name, input, version) };
  if (luck === 4) return { status: 'denied', error: 'not this' };
  if (luck === 5) return { status: 'failed', error: 'missing' };
  if ((luck === 6 || name === 'human') && (world.waits += 1) <= MOST_WAITS)
    return {
      status: 'waiting',
      for: choose(2) === 0 ? { kind: 'question', text: 'Really?' } : { kind: 'timer', until: '2030-01-01T00:02:00Z' },
    };
  if (luck === 7) return { status: 'cancelled', error: 'by itself' };
  const output = { flag: choose(2) === 0, list: Array.from({ length: choose(4) }, () => choose(3)) };
  if (name !== 'large' || luck % 2 === 0) return { status: 'ok', output, ...usage };
  const long = { ...output, text: `${choose(1000)}`.repeat(LARGE) };
  world.large.add(JSON.stringify(long));
  return { status: 'ok', output: long };
}

/** In the words that the error handler knows, and in others. */
function limitedOutcome(luck: number): Outcome {
  const errors = [
    'answered 429 (retry after 2 s)',
    'rate limit: try again in 5 minutes',
    'it did not end within 600 s and was stopped',
    'there is no tool "limited"',
  ];
  return { status: 'failed', error: errors[luck] ?? 'wrong', temporary: luck === 0 };
}

/** What a model answers to a node: mostly what it is asked for, often nonsense, sometimes nothing. */
function randomAnswer(input: Json, { choose }: World): Outcome {
  const luck = choose(12);
  if (luck === 0) return { status: 'failed', error: 'the model is down', temporary: true };
  if (luck === 1) return { status: 'failed', error: 'the key is wrong' };
  if (luck === 2) throw new Error('the model broke');
  const [tool] = (input as { tools: { name: string }[] }).tools;
  const isNonsense = luck < 6;
  const good =
    tool?.name === 'choose'
      ? { branch: isNonsense ? 'sideways' : (['yes', 'no'][choose(2)] ?? ''), reason: 'so it is' }
      : { flag: isNonsense ? 'maybe' : choose(2) === 0, list: [choose(3)] };
  const call = tool === undefined || luck === 3 ? null : { name: luck === 4 ? 'shell' : tool.name, input: good };
  return { status: 'ok', output: { text: isNonsense ? '' : 'a list', call, problem: null, model: 'm' } };
}

/** What a model decides about an error; possible or not, with the same input, another, or none. */
function randomDecision(input: Json, { choose }: World): Outcome {
  const luck = choose(12);
  if (luck === 0) return { status: 'failed', error: 'the model is down', temporary: true };
  if (luck === 1) throw new Error('the model broke');
  if (luck === 2) return { status: 'cancelled', error: 'by itself' };
  const action = luck < 8 ? 'retry' : (['fallback', 'skip', 'fail'][choose(3)] ?? 'fail');
  const changed = luck === 3 ? (input as { input: Json }).input : { x: choose(1000) };
  return { status: 'ok', output: { action, reason: 'by chance', ...(luck === 4 ? {} : { input: changed }) } };
}

/** Mostly what is allowed, sometimes anything. */
function randomPlanner({ choose }: World): Planner {
  const any = <T>(list: readonly T[]): T | undefined => list[choose(list.length)];
  return {
    decide: async ({ run, turn, next, tools }): Promise<Decision> => {
      for (let left = choose(6); left > 0; left -= 1) await Promise.resolve();
      const rationale = 'by chance';
      const luck = choose(24);
      if (luck === 0) throw new Error('the planner broke');
      if (luck === 1) return { kind: 'Guess' } as unknown as Decision;
      if (luck === 2) return { kind: 'Transition', to: any(['act', 'done', 'explore', 'nowhere']) ?? '', rationale };
      if (luck === 3) return { kind: 'CallTool', tool: any(toolNames) ?? '', input: null, rationale };
      if (luck === 4) return { kind: 'AskHuman', question: 'What now?', rationale };
      if (luck === 5) return { kind: 'Fail', reason: 'no way', rationale };
      if (turn > 10 || luck === 6) return { kind: 'Finish', output: { flag: choose(2) === 0, list: [] }, rationale };
      const tool = luck < 16 ? any(tools)?.name : undefined;
      if (tool === 'run.start' && run === 'r')
        return { kind: 'CallTool', tool, input: { graph: 'child', input: {} }, rationale };
      if (tool !== undefined && tool !== 'run.start') {
        const others = tools.filter(({ name }) => name !== 'run.start');
        const also = Array.from({ length: choose(3) }, () => ({
          tool: any(others)?.name ?? tool,
          input: { x: choose(3) },
        }));
        const further = also.length === 0 ? {} : { also };
        return { kind: 'CallTool', tool, input: { x: choose(3) }, ...further, rationale };
      }
      const to = any(next.filter((state) => state !== 'failed'));
      return to === undefined
        ? { kind: 'Finish', output: { list: [5] }, rationale }
        : { kind: 'Transition', to, rationale };
    },
  };
}

/** mulberry32 */
function choices(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
