/** Commands that people want at certain moments of a run. They go through the same chain and are written down like every call. */
import { messageOf } from '../schema/errors.ts';
import type { NewEvent } from '../schema/event.ts';
import type { Json } from '../schema/json.ts';
import type { Outcome, ToolCall } from '../schema/tool.ts';
import { unboundCall } from './call-bounds.ts';
import type { Invoke } from './middleware-chain.ts';
import { applyEvent } from './fold-run.ts';
import { refuseStateWrite } from './graph-state.ts';
import type { RunState } from './run-state.ts';
import type { World } from './world.ts';

/** With the words around it, the schema of events takes no longer reasons. */
const LONGEST_REASON = 19_000;

/** How long a hook may take. */
const TIMEOUT_MS = 60_000;

type HookName = 'before_run' | 'after_run' | 'before_node' | 'after_node' | 'on_error';
export type Hooks = Partial<Record<HookName, { tool: string; input: Json }>>;

export type RunHooks = {
  /** The event that ends the run when the hook does not allow it. */
  beforeRun: (run: RunState) => Promise<NewEvent | null>;
  afterRun: (run: RunState) => Promise<void>;
  invoke: Invoke;
};

/** Hooks around calls and runs; without any hook the chain itself. */
export function createHooks(
  world: Pick<World, 'events' | 'tools' | 'invoke'>,
  hooks: Hooks,
  runOf: (id: string) => RunState | undefined,
): RunHooks {
  return {
    beforeRun: async (run) => {
      const outcome = await call('before_run', run, run.id);
      if (outcome === null || outcome.status === 'ok') return null;
      return {
        type: 'run.ended',
        run: run.id,
        data: { status: 'failed', reason: `the hook before_run: ${reasonOf(outcome)}` },
      };
    },
    afterRun: async (run) => {
      if ((await call('after_run', run, run.id)) !== null) await world.events.flush();
    },
    invoke:
      hooks.before_node === undefined && hooks.after_node === undefined && hooks.on_error === undefined
        ? world.invoke
        : withNodeHooks,
  };

  async function withNodeHooks(given: ToolCall): Promise<Outcome> {
    const run = runOf(given.run);
    const before = await call('before_node', run, given.call);
    if (before !== null && before.status !== 'ok')
      return { status: 'failed', error: `the hook before_node: ${reasonOf(before)}` };
    const outcome = await world.invoke(given);
    if (outcome.status === 'ok') await call('after_node', run, given.call);
    else if (outcome.status === 'failed' || outcome.status === 'denied') await call('on_error', run, given.call);
    return outcome;
  }

  async function call(name: HookName, run: RunState | undefined, about: string): Promise<Outcome | null> {
    const hook = hooks[name];
    if (hook === undefined || run === undefined) return null;
    const asked = hookCall(name, hook, run, about);
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

  function hookCall(
    name: HookName,
    { tool, input }: { tool: string; input: Json },
    run: RunState,
    about: string,
  ): ToolCall {
    const effect = world.tools(tool)?.classOf(input, 'operator') ?? 'deny';
    const { signal } = new AbortController();
    return unboundCall(
      { run: run.id, node: null, call: `${about}.${name}`, attempt: 1, tool, class: effect, input, key: null, signal },
      TIMEOUT_MS,
    );
  }
}

function reasonOf(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error.slice(0, LONGEST_REASON) : outcome.status;
}
