/**
 * Notices what a failed call was missing. It never waits: it says what is needed, and the engine opens the wait. What
 * nobody can install stays a failure, with advice.
 */
import type { Middleware } from '../../schema/ports.ts';
import type { Outcome, ToolCall } from '../../schema/tool.ts';
import type { WaitFor } from '../../schema/wait.ts';

export type Diagnose = (
  call: ToolCall,
  outcome: Extract<Outcome, { status: 'failed' }>,
) => WaitFor | { advice: string } | null;

export function heal(diagnose?: Diagnose): Middleware {
  if (diagnose === undefined) return { name: 'heal' };
  return {
    name: 'heal',
    call: async (call, next) => {
      const outcome = await next(call);
      const found = outcome.status === 'failed' ? diagnose(call, outcome) : null;
      if (found === null || outcome.status !== 'failed') return outcome;
      if ('advice' in found) return { ...outcome, error: `${outcome.error}\n${found.advice}` };
      return { status: 'waiting', for: found };
    },
  };
}
