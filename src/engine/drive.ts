/**
 * Owns: the only loop. It decides, writes the decision down, lets the call happen, writes down what came of it.
 * Does not own: what to do next (decide.ts), what an event means (fold-run.ts), what a call goes through (the chain).
 *
 * R1 A call that may change anything is durable as an intent before it acts; a read may ride the next batch.
 * R2 The outcome of one step and the intent of the next share a batch: a sequence of n steps costs n flushes.
 * R3 Every call that was started gets an outcome, also when the run fails or is stopped.
 * R4 No promise is held across a wait for a person: the drive ends, and the run goes on from its events.
 */
import type { Event, NewEvent } from '../schema/event.ts';
import { messageOf } from '../schema/errors.ts';
import type { Clock, EventStore } from '../schema/ports.ts';
import type { CallBounds, Outcome, ToolCall } from '../schema/tool.ts';
import { leftOf, nothingReserved, reservedWith } from './budget.ts';
import type { Invoke } from './compose.ts';
import { type CallStep, decide, type Step, type ToolBook } from './decide.ts';
import { applied } from './fold-run.ts';
import { isOver, nodeNamed, type OpenWait, type RunState } from './run-state.ts';

export type World = {
  events: EventStore;
  tools: ToolBook;
  invoke: Invoke;
  clock: Clock;
  /** Asks the planner; gives the event that says what it answered. */
  think: (run: RunState, step: Extract<Step, { kind: 'Think' }>) => Promise<NewEvent>;
  /** Makes an outcome fit for the ledger: large bodies become artifacts. */
  storable: (outcome: Outcome) => Outcome | Promise<Outcome>;
  /** Resolves when a wait that ends without a person has ended; null when nobody here can tell. */
  expect: (run: RunState, wait: OpenWait, signal: AbortSignal) => Promise<NewEvent> | null;
};

export type StopRequest = { kind: 'stop' | 'pause' | 'cancel'; reason: string };

export type Drive = {
  run: RunState;
  /** Resolves when the run is over, blocked, paused or stopped. */
  done: Promise<RunState>;
  /** Lets an event from outside into the run, such as the answer to a wait. */
  post: (event: NewEvent) => void;
  stop: (request: StopRequest) => void;
};

type Happened =
  | { kind: 'outcome'; step: CallStep; outcome: Outcome }
  | { kind: 'event'; event: NewEvent; node: string | null };

/** How long calls have to end after they were told to. */
export const GRACE_MS = 1500;

export function drive(
  run: RunState,
  world: World,
  grace: (ms: number) => Promise<void>,
  before?: () => Promise<NewEvent | null>,
): Drive {
  const happened: Happened[] = [];
  const inFlight = new Map<string, CallStep>();
  const thinking = new Set<string>();
  const expecting = new Set<string>();
  const calls = new AbortController();
  let stopRequest: StopRequest | null = null;
  let reserved = nothingReserved;
  let broken: Error | null = null;
  let wake: (() => void) | null = null;

  return {
    run,
    done: loop(),
    post: (event) => tell({ kind: 'event', event, node: null }),
    stop: (request) => {
      stopRequest ??= request;
      calls.abort();
      wake?.();
    },
  };

  async function loop(): Promise<RunState> {
    const refusal = (await before?.()) ?? null;
    if (refusal !== null) stage(refusal);
    for (;;) {
      takeIn();
      if (broken !== null) throw broken;
      if (stopRequest !== null) return halt(stopRequest);
      const started = advance();
      if (isOver(run.status) || (run.failure !== null && inFlight.size > 0)) calls.abort();
      await durable(started);
      for (const step of started) launch(step);
      if (isOver(run.status)) return ended();
      expectWaits();
      if (happened.length === 0 && inFlight.size === 0 && thinking.size === 0 && expecting.size === 0) return ended();
      if (happened.length === 0) await something();
    }
  }

  /** Writes down everything that is decided now; returns the calls to be made. */
  function advance(): CallStep[] {
    const started: CallStep[] = [];
    for (;;) {
      const steps = decide(run, world.tools).filter((step) => step.kind !== 'Think' || !thinking.has(step.node));
      if (steps.length === 0) return started;
      for (const step of steps) {
        if (step.kind === 'Think') think(step);
        else stage(eventOf(run, step));
        if (step.kind === 'CallTool') started.push(step);
      }
    }
  }

  function stage(event: NewEvent): Event {
    const staged = world.events.stage(event);
    applied(run, staged);
    return staged;
  }

  async function durable(started: readonly CallStep[]): Promise<void> {
    if (started.some((step) => step.class !== 'read')) await world.events.flush();
    else world.events.flush().catch(breakDown);
  }

  function launch(step: CallStep): void {
    const usage = world.tools(step.tool)?.estimate?.(step.input) ?? {};
    const call = callOf(step);
    inFlight.set(step.node, step);
    reserved = reservedWith(reserved, usage, 1);
    world
      .invoke(call)
      .then((outcome) => world.storable(outcome))
      .catch((error: unknown): Outcome => ({ status: 'failed', error: messageOf(error) }))
      .then((outcome) => {
        reserved = reservedWith(reserved, usage, -1);
        tell({ kind: 'outcome', step, outcome });
      })
      .catch(breakDown);
  }

  function callOf(step: CallStep): ToolCall {
    const { node, call, attempt, tool, input, key, approval } = step;
    const left = leftOf(run, reserved, world.clock());
    return {
      run: run.id,
      node,
      call,
      attempt,
      tool,
      class: step.class,
      input,
      key,
      signal: calls.signal,
      bounds: boundsOf(run, node),
      left,
      approval,
      previous: null,
      intend: (again) => intend(step, again),
    };
  }

  /** A further attempt within one call: how the last one ended and that another follows, in one batch. */
  async function intend(step: CallStep, again: ToolCall): Promise<void> {
    stage(outcomeEvent(run, step, again.previous ?? { status: 'failed', error: 'unknown' }, true));
    Object.assign(step, { call: again.call, attempt: again.attempt });
    stage(eventOf(run, step));
    if (step.class === 'read') world.events.flush().catch(breakDown);
    else await world.events.flush();
  }

  function think(step: Extract<Step, { kind: 'Think' }>): void {
    thinking.add(step.node);
    world.think(run, step).then(
      (event) => tell({ kind: 'event', event, node: step.node }),
      (error: unknown) =>
        tell({
          kind: 'event',
          node: step.node,
          event: {
            type: 'node.settled',
            run: run.id,
            data: { node: step.node, status: 'failed', reason: `the planner failed: ${messageOf(error)}` },
          },
        }),
    );
  }

  /** Waits that end by themselves keep the drive alive. */
  function expectWaits(): void {
    for (const wait of run.waits.values()) {
      if (expecting.has(wait.wait)) continue;
      const closing = world.expect(run, wait, calls.signal);
      if (closing === null) continue;
      expecting.add(wait.wait);
      closing
        .then(
          (event) => tell({ kind: 'event', event, node: null }),
          () => undefined,
        )
        .finally(() => expecting.delete(wait.wait));
    }
  }

  function tell(news: Happened): void {
    happened.push(news);
    wake?.();
  }

  async function something(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    if (broken === null && stopRequest === null) await promise;
    wake = null;
  }

  /** Writes down what has happened since. */
  function takeIn(): void {
    for (const news of happened.splice(0)) {
      if (news.kind === 'event') {
        if (news.node !== null) thinking.delete(news.node);
        if (!isOver(run.status)) stage(news.event);
      } else {
        inFlight.delete(news.step.node);
        stageOutcome(news.step, news.outcome);
      }
    }
  }

  function stageOutcome(step: CallStep, outcome: Outcome): void {
    try {
      stage(outcomeEvent(run, step, outcome, false));
    } catch (error) {
      stage(
        outcomeEvent(
          run,
          step,
          { status: 'failed', error: `the outcome could not be written down: ${messageOf(error)}` },
          false,
        ),
      );
    }
  }

  function breakDown(error: unknown): void {
    broken = error instanceof Error ? error : new Error(messageOf(error));
    wake?.();
  }

  /** Calls under way are told to end; those that do not in time count as cancelled, and so as in doubt. */
  async function halt(request: StopRequest): Promise<RunState> {
    const deadline = grace(GRACE_MS).then(() => true);
    for (let late = false; inFlight.size > 0 && !late; takeIn()) {
      late = await Promise.race([deadline, something().then(() => false)]);
    }
    for (const step of inFlight.values()) stageOutcome(step, { status: 'cancelled', error: 'stopped before it ended' });
    inFlight.clear();
    if (request.kind === 'pause') stage({ type: 'run.paused', run: run.id, data: { reason: request.reason } });
    if (request.kind === 'cancel')
      stage({ type: 'run.ended', run: run.id, data: { status: 'cancelled', reason: request.reason } });
    await world.events.flush();
    return run;
  }

  async function ended(): Promise<RunState> {
    while (inFlight.size > 0) {
      await something();
      takeIn();
    }
    calls.abort();
    await world.events.flush();
    return run;
  }
}

/** The event that writes a decided step down. */
export function eventOf(run: RunState, step: Exclude<Step, { kind: 'Think' }>): NewEvent {
  switch (step.kind) {
    case 'CallTool': {
      const { node, call, attempt, tool, input, key } = step;
      return {
        type: 'call.started',
        run: run.id,
        data: { call, node, attempt, tool, class: step.class, input, ...(key === null ? {} : { key }) },
      };
    }
    case 'Wait':
      return { type: 'wait.opened', run: run.id, data: { wait: step.wait, node: step.node, for: step.for } };
    case 'Settle':
      return {
        type: 'node.settled',
        run: run.id,
        data: { node: step.node, status: step.status, reason: step.reason, output: step.output },
      };
    case 'Finish':
      return {
        type: 'run.ended',
        run: run.id,
        data: {
          status: 'done',
          reason: 'every step is settled',
          output: step.output,
          artifacts: run.artifacts.slice(0, 1000),
        },
      };
    case 'Fail':
      return { type: 'run.ended', run: run.id, data: { status: 'failed', reason: step.reason } };
  }
}

/** The event that writes the outcome of a call down. */
export function outcomeEvent(
  run: RunState,
  step: Pick<CallStep, 'call' | 'node'>,
  outcome: Outcome,
  retried: boolean,
): NewEvent {
  const settles = retried ? undefined : settledBy(run, step.node, outcome);
  return {
    type: 'call.ended',
    run: run.id,
    data: {
      call: step.call,
      node: step.node,
      status: outcome.status,
      ...('output' in outcome ? { output: outcome.output } : {}),
      ...('error' in outcome ? { error: outcome.error.slice(0, 20_000) } : {}),
      ...('artifacts' in outcome && outcome.artifacts !== undefined ? { artifacts: outcome.artifacts } : {}),
      ...('usage' in outcome && outcome.usage !== undefined ? { usage: outcome.usage } : {}),
      ...(retried ? { retried } : {}),
      ...('for' in outcome ? { for: outcome.for } : {}),
      ...(settles === undefined ? {} : { settles }),
    },
  };
}

/** What an outcome makes of its node, for those who only read events. */
function settledBy(run: RunState, node: string, outcome: Outcome): 'done' | 'failed' | undefined {
  const index = nodeNamed(run, node);
  const config = index === undefined ? undefined : run.configs[index];
  if (config === undefined || config.kind === 'agent') return undefined;
  if (outcome.status === 'ok') return 'done';
  if (outcome.status !== 'failed' && outcome.status !== 'denied') return undefined;
  return config.on_error === 'fallback' && config.fallback !== undefined ? 'done' : 'failed';
}

/** What the node, and the state of an agent, allow for a call. */
function boundsOf(run: RunState, name: string): CallBounds {
  const index = nodeNamed(run, name) ?? -1;
  const config = run.configs[index];
  const agent = run.nodes[index]?.agent;
  const rule = agent === null || agent === undefined ? undefined : run.plan.states.states[agent.state];
  return {
    timeoutMs: config?.timeout_seconds === undefined ? null : config.timeout_seconds * 1000,
    retries: config?.max_retries ?? 0,
    tools: narrowed(config?.tools, rule?.tools),
    classes: rule?.classes ?? null,
    ask: rule?.ask ?? false,
  };
}

function narrowed(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | null {
  if (a === undefined || b === undefined) return a ?? b ?? null;
  return a.filter((name) => b.includes(name));
}
