/**
 * Commands that people want at certain moments of a run. They go through the same chain and are written down like every
 * call. Each gets a document that says what it is about. One before something may refuse it, by failing or with a line
 * "veto: reason"; none changes anything.
 */
import { hash } from 'node:crypto';
import { messageOf } from '../schema/errors.ts';
import type { NewEvent } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { Outcome, ToolCall } from '../schema/tool.ts';
import { unboundCall } from './call-bounds.ts';
import type { Invoke } from './middleware-chain.ts';
import { applyEvent } from './fold-run.ts';
import { refuseStateWrite } from './graph-state.ts';
import type { SettleStep } from './decide.ts';
import { failureOf } from './node-failure.ts';
import { inputOf } from './node-input.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import type { World } from './world.ts';

/** With the words around it, the schema of events takes no longer reasons. */
const LONGEST_REASON = 19_000;

/** Most of an error that a hook is told. */
const LONGEST_ERROR = 2000;

/** How long a hook may take. */
const TIMEOUT_MS = 60_000;

type HookName = 'before_run' | 'after_run' | 'before_node' | 'after_node' | 'on_error';
/** The input may be made out of what the hook is about. */
export type Hooks = Partial<Record<HookName, { tool: string; input: Json | ((about: HookDocument) => Json) }>>;

/** A value is given by its hash and its size; it is in the record of the call. */
type Reference = { sha256: string; bytes: number };

export type HookDocument = {
  hook: HookName;
  run: string;
  graph: string;
  node: string | null;
  kind: string | null;
  /** Of the run, or of the call or node that has ended. */
  status: string;
  call: string | null;
  input: Reference;
  output: Reference | null;
  error: string | null;
  /** What the run has spent so far. */
  cost: { tokens: number; usd: number; tool_calls: number };
};

/** How something ended, for the hooks that come after it. */
type Ended = Pick<HookDocument, 'status' | 'error'> & { output: Json };
type Moment = { call: string; node: string | null; input: Json; ended: Ended | null; signal?: AbortSignal };

type HookWorld = Pick<World, 'events' | 'tools' | 'invoke'>;

export type RunHooks = {
  /** The event that ends the run when the hook does not allow it. */
  beforeRun: (run: RunState) => Promise<NewEvent | null>;
  afterRun: (run: RunState) => Promise<void>;
  invoke: Invoke;
  /** Hooks around a node that ends without a call; undefined when there are none. */
  settle: World['settle'];
  /** Ends those that still run. */
  stop: () => void;
};

/** Hooks around calls and runs; without any hook the chain itself. */
export function createHooks(world: HookWorld, hooks: Hooks, runOf: (id: string) => RunState | undefined): RunHooks {
  const isHooked = hooks.before_node !== undefined || hooks.after_node !== undefined || hooks.on_error !== undefined;
  const stopped = new AbortController();
  const call = hookCaller(world, hooks, stopped.signal);
  return {
    beforeRun: async (run) => {
      const veto = vetoOf(await call('before_run', run, momentOf(run, null)));
      if (veto === null) return null;
      return { type: 'run.ended', run: run.id, data: { status: 'failed', reason: `the hook before_run: ${veto}` } };
    },
    afterRun: async (run) => {
      const ended = { status: run.status, error: run.reason, output: run.output };
      if ((await call('after_run', run, momentOf(run, ended))) !== null) await world.events.flush();
    },
    invoke: isHooked ? withNodeHooks : world.invoke,
    settle: isHooked ? settleWithHooks : undefined,
    stop: () => stopped.abort(),
  };

  async function withNodeHooks(given: ToolCall): Promise<Outcome> {
    const run = runOf(given.run);
    const { call: id, node, input, signal } = given;
    const at = (ended: Ended | null): Moment => ({ call: id, node, input, ended, signal });
    const veto = vetoOf(await call('before_node', run, at(null)));
    if (veto !== null) return { status: 'failed', error: `the hook before_node: ${veto}` };
    const outcome = await world.invoke(given);
    const { status } = outcome;
    const ended = { status, error: 'error' in outcome ? outcome.error : null, output: outputOf(outcome) };
    if (status === 'ok') await call('after_node', run, at(ended));
    else if (status === 'failed' || status === 'denied') await call('on_error', run, at(ended));
    return outcome;
  }

  async function settleWithHooks(run: RunState, step: SettleStep): Promise<SettleStep> {
    const index = nodeNamed(run, step.node) ?? -1;
    const config = run.configs[index];
    if (config === undefined || step.status === 'skipped') return step;
    const id = `${run.id}.${step.node}.${run.nodes[index]?.visit ?? 0}`;
    const at = (ended: Ended | null): Moment => ({ call: id, node: step.node, input: inputOf(run, index), ended });
    const veto = vetoOf(await call('before_node', run, at(null)));
    const made = veto === null ? step : { ...step, ...failureOf(config, `the hook before_node: ${veto}`) };
    const { status, output, reason } = made;
    const ended = { status, output, error: status === 'failed' ? reason : null };
    await call(status === 'failed' ? 'on_error' : 'after_node', run, at(ended));
    return made;
  }
}

type CallHook = (name: HookName, run: RunState | undefined, at: Moment) => Promise<Outcome | null>;

/** Makes the call of a hook, and writes it down; null when there is no such hook. */
function hookCaller(world: HookWorld, hooks: Hooks, stopped: AbortSignal): CallHook {
  return call;

  async function call(name: HookName, run: RunState | undefined, at: Moment): Promise<Outcome | null> {
    const hook = hooks[name];
    if (hook === undefined || run === undefined) return null;
    const asked = hookCall(name, hook, run, at);
    const { call: id, tool, input } = asked;
    const intent = world.events.stage({
      type: 'call.started',
      run: run.id,
      data: { call: id, node: null, tool, class: asked.class, input },
    });
    applyEvent(run, intent);
    await world.events.flush([intent]);
    const outcome = refuseStateWrite(
      await world.invoke(asked).catch((error: unknown): Outcome => ({ status: 'failed', error: messageOf(error) })),
    );
    const error = outcome.status === 'ok' ? {} : { error: reasonOf(outcome) };
    applyEvent(
      run,
      world.events.stage({
        type: 'call.ended',
        run: run.id,
        data: { call: id, node: null, status: outcome.status, ...error },
      }),
    );
    return outcome;
  }

  function hookCall(name: HookName, hook: NonNullable<Hooks[HookName]>, run: RunState, at: Moment): ToolCall {
    const { tool } = hook;
    const input = typeof hook.input === 'function' ? hook.input(documentOf(name, run, at)) : hook.input;
    const effect = world.tools(tool)?.classOf(input, 'operator') ?? 'deny';
    const signal = at.signal === undefined ? stopped : AbortSignal.any([stopped, at.signal]);
    return unboundCall(
      {
        run: run.id,
        node: null,
        call: `${at.call}.${name}`,
        attempt: 1,
        tool,
        class: effect,
        input,
        key: null,
        signal,
      },
      TIMEOUT_MS,
    );
  }
}

const momentOf = (run: RunState, ended: Ended | null): Moment => ({
  call: run.id,
  node: null,
  input: run.input,
  ended,
});

function documentOf(hook: HookName, run: RunState, { call, node, input, ended }: Moment): HookDocument {
  const { tokens, usd, tool_calls } = run.spent;
  return {
    hook,
    run: run.id,
    graph: run.plan.graph.id,
    node,
    kind: node === null ? null : (run.configs[nodeNamed(run, node) ?? -1]?.kind ?? null),
    status: ended?.status ?? run.status,
    call: node === null ? null : call,
    input: referenceTo(input),
    output: ended === null ? null : referenceTo(ended.output),
    error: ended?.error?.slice(0, LONGEST_ERROR) ?? null,
    cost: { tokens, usd, tool_calls },
  };
}

function referenceTo(value: Json): Reference {
  const text = JSON.stringify(value);
  return { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) };
}

const outputOf = (outcome: Outcome): Json => ('output' in outcome ? (outcome.output ?? null) : null);

/** Why a hook does not allow what comes next; null when it does, or there is none. */
function vetoOf(outcome: Outcome | null): string | null {
  if (outcome === null) return null;
  if (outcome.status !== 'ok') return reasonOf(outcome);
  const { stdout } = (outcome.output ?? {}) as { stdout?: Json };
  const [, veto] = typeof stdout === 'string' ? (/^veto: *(.*)$/m.exec(stdout) ?? []) : [];
  return veto?.slice(0, LONGEST_REASON) ?? null;
}

function reasonOf(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error.slice(0, LONGEST_REASON) : outcome.status;
}
