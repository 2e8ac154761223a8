/**
 * Owns: calls within a call or a thought. They belong to no node: after a crash the whole is done again.
 * Does not own: the loop (drive.ts), which stages and flushes for them.
 */
import { messageOf } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Act, Outcome, SideEffectClass, ToolCall, Usage } from '../schema/tool.ts';
import { innerBounds } from './bounds.ts';
import { estimated } from './budget.ts';
import { type CallStep, classOf } from './decide.ts';
import type { World } from './drive.ts';
import { authorOf } from './origins.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import { outcomeEvent } from './written.ts';

type Inside = {
  run: RunState;
  world: Pick<World, 'tools' | 'invoke' | 'storable'>;
  stage: (event: NewEvent) => Event;
  /** Resolves when an intent of this class is as durable as it has to be. */
  written: (effect: SideEffectClass) => Promise<void>;
  reserve: (usage: Usage, sign: 1 | -1) => void;
  callOf: (step: CallStep, usage: Usage) => ToolCall;
  isStopped: () => boolean;
};

export type ActsWithin = {
  /** What the calls of `outer` act through; `approval` is what a person allowed for it. */
  actor: (outer: () => string, node: string, approval: string | null) => Act;
  open: () => number;
  /** Gives every call that is under way this outcome. */
  giveUp: (outcome: Outcome) => void;
};

export function actsWithin({ run, world, stage, written, reserve, callOf, isStopped }: Inside): ActsWithin {
  const open = new Set<string>();
  return { actor, open: () => open.size, giveUp };

  function actor(outer: () => string, node: string, approval: string | null): Act {
    let count = 0;
    return async (tool, input, by = {}) => {
      const author = by.author ?? authorOf(run, run.configs[nodeNamed(run, node) ?? -1]);
      const call = `${outer()}.${(count += 1)}`;
      const effect = classOf(world.tools, tool, input, author);
      const step: CallStep = {
        kind: 'CallTool',
        node,
        call,
        attempt: 1,
        tool,
        class: effect,
        input,
        key: null,
        approval,
        ask: false,
      };
      stage({ type: 'call.started', run: run.id, data: { call, node: null, tool, class: effect, input } });
      open.add(call);
      await written(effect);
      return invoked(step, author);
    };
  }

  async function invoked(step: CallStep, author: ToolCall['author']): Promise<Outcome> {
    const usage = estimated(world.tools, step.tool, step.input);
    reserve(usage, 1);
    const asked = callOf(step, usage);
    const made: ToolCall = { ...asked, author, bounds: innerBounds(asked.bounds) };
    const outcome = await world.invoke(made).catch((error: unknown): Outcome => failedBy(error));
    const stored = await world.storable(outcome);
    reserve(usage, -1);
    if (open.delete(step.call)) stage(outcomeEvent(run, { call: step.call, node: null }, stored, false));
    return outcome;
  }

  function failedBy(error: unknown): Outcome {
    return { status: isStopped() ? 'cancelled' : 'failed', error: messageOf(error) };
  }

  function giveUp(outcome: Outcome): void {
    for (const call of open) stage(outcomeEvent(run, { call, node: null }, outcome, false));
    open.clear();
  }
}
