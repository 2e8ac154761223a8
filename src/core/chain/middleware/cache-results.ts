/** Results of tools that say they are cacheable, by what was asked and the state of what was read. */
import { hash } from 'node:crypto';
import { findMarkIn } from '../../guard/masked-text.ts';
import type { SideEffectClass } from '../../schema/effect.ts';
import type { Cache, Middleware, ToolRegistry } from '../../schema/ports.ts';
import type { Tool, ToolCall } from '../../schema/tool.ts';

export function cache(tools: Pick<ToolRegistry, 'get'>, store: Cache | undefined): Middleware {
  if (store === undefined) return { name: 'cache' };
  return {
    name: 'cache',
    appliesTo: isCached,
    call: async (call, next) => {
      const tool = tools.get(call.tool);
      if (tool === undefined || !isCached(tool, call.class) || isMasked(call)) return next(call);
      const key = await cacheKey(call, tool);
      const known = await store.get(key);
      if (known !== null) return { status: 'ok', output: known, usage: { ms: 0 } };
      const outcome = await next(call);
      if (outcome.status === 'ok' && (outcome.artifacts ?? []).length === 0 && (await cacheKey(call, tool)) === key)
        await store.set(key, outcome.output);
      return outcome;
    },
  };
}

const isCached = ({ annotations }: Tool, effect: SideEffectClass): boolean =>
  annotations.cacheable && effect === 'read';

/** Two calls with the same masked input may be different ones. */
const isMasked = ({ input }: ToolCall): boolean => findMarkIn(input) !== null;

/** Without a fingerprint of what it reads, a result is good for its own run only. */
async function cacheKey(call: ToolCall, tool: Tool): Promise<string> {
  const { run, tool: name, input } = call;
  const sources = tool.fingerprint === undefined ? `run ${run}` : await tool.fingerprint(input, call);
  return hash('sha256', JSON.stringify([name, input, sources]));
}
