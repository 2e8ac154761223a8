/** In a fleet: a call whose run another member goes on with by now does not act, however long this process stood still. */
import type { ClaimCheck, Middleware } from '../../schema/ports.ts';

/** What only reads does no harm. Waiting for an answer takes nothing off the time of the call. */
export function stillClaimed(claims?: ClaimCheck): Middleware {
  if (claims === undefined) return { name: 'claimed' };
  return {
    name: 'claimed',
    call: async (call, next) => {
      if (call.class === 'read' || claims.isSure(call.run)) return next(call);
      const resume = call.pauseClock?.();
      const problem = await claims.makeSure(call.run, call.signal).finally(() => resume?.());
      return problem === null ? next(call) : { status: 'cancelled', error: problem, begun: false };
    },
  };
}
