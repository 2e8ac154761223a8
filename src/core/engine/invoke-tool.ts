/** The innermost step of the chain: the tool itself. */
import { awaitsSpace, messageOf } from '../schema/errors.ts';
import type { ToolRegistry } from '../schema/ports.ts';
import type { Invoke } from './middleware-chain.ts';

/** What a tool throws is its failure, unless it awaits space; what fails after a stop was cancelled. */
export function invokeTool(tools: Pick<ToolRegistry, 'get'>): Invoke {
  return async (call) => {
    const tool = tools.get(call.tool);
    if (tool === undefined) return { status: 'failed', error: `there is no tool "${call.tool}"` };
    if (call.signal.aborted) return { status: 'cancelled', error: 'stopped before it began', begun: false };
    try {
      const outcome = await tool.invoke(call.input, call);
      return outcome.status === 'failed' && call.signal.aborted
        ? { status: 'cancelled', error: outcome.error }
        : outcome;
    } catch (error) {
      if (awaitsSpace(call, error)) throw error;
      return { status: call.signal.aborted ? 'cancelled' : 'failed', error: messageOf(error) };
    }
  };
}
