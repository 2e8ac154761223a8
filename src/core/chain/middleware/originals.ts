/**
 * Texts that redaction has changed. `refuseMasked` stops a call that cannot run as it was written before anybody is asked
 * about it; `restoreOriginals` gives the tool the text as it was written.
 */
import type { Middleware, ToolRegistry } from '../../schema/ports.ts';
import { actsOnItsInput, type Restore } from '../restore-originals.ts';

export function refuseMasked(tools: Pick<ToolRegistry, 'get'>, restore?: Restore): Middleware {
  if (restore === undefined) return { name: 'masked' };
  return {
    name: 'masked',
    appliesTo: actsOnItsInput,
    call: async (call, next) => {
      const tool = tools.get(call.tool);
      const restored = tool === undefined || !actsOnItsInput(tool) ? call : await restore(call);
      return 'status' in restored ? restored : next(call);
    },
  };
}

export function restoreOriginals(tools: Pick<ToolRegistry, 'get'>, restore?: Restore): Middleware {
  if (restore === undefined) return { name: 'originals' };
  return {
    name: 'originals',
    appliesTo: actsOnItsInput,
    call: async (call, next) => {
      const tool = tools.get(call.tool);
      const restored = tool === undefined || !actsOnItsInput(tool) ? call : await restore(call);
      return 'status' in restored ? restored : next(restored);
    },
  };
}
