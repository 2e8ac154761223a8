/** Puts values in place of names such as secret:NAME, for one call and in memory only. */
import type { Middleware } from '../../schema/ports.ts';
import type { ToolCall } from '../../schema/tool.ts';

/** Gives the call with its secrets filled in. */
export type Reveal = (call: ToolCall) => Promise<ToolCall>;

export function secrets(reveal?: Reveal): Middleware {
  return reveal === undefined
    ? { name: 'secrets' }
    : { name: 'secrets', call: async (call, next) => next(await reveal(call)) };
}
