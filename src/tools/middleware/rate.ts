/** How often a tool or a host may be called. Short delays are sat out, long ones become a wait. */
import type { Clock, Middleware } from '../../schema/ports.ts';
import type { ToolCall } from '../../schema/tool.ts';

/** By tool name, or by `host:example.org`. */
export type RateLimits = Readonly<Record<string, { calls: number; seconds: number }>>;

const MAX_DELAY_MS = 5000;

export function rate(
  limits: RateLimits,
  clock: Clock,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
): Middleware {
  if (Object.keys(limits).length === 0) return { name: 'rate' };
  const recent = new Map<string, number[]>();
  return {
    name: 'rate',
    call: async (call, next) => {
      const now = clock();
      const names = limitNames(call).filter((name) => limits[name] !== undefined);
      const free = Math.max(now, ...names.map((name) => freeAt(name, now)));
      if (free - now > MAX_DELAY_MS)
        return {
          status: 'waiting',
          for: { kind: 'timer', until: new Date(free).toISOString(), ms: Math.ceil(free - now) },
        };
      for (const name of names) recent.get(name)?.push(free);
      if (free > now) await sleep(free - now, call.signal);
      return next(call);
    },
  };

  /** When the next call under this name may happen. */
  function freeAt(name: string, now: number): number {
    const { calls, seconds } = limits[name] ?? { calls: Number.POSITIVE_INFINITY, seconds: 0 };
    const kept = (recent.get(name) ?? [])
      .map((at) => Math.min(at, now + MAX_DELAY_MS)) // later ones are from before the clock was set back
      .filter((at) => at > now - seconds * 1000);
    recent.set(name, kept);
    const oldestThatCounts = kept[kept.length - calls];
    return oldestThatCounts === undefined ? now : oldestThatCounts + seconds * 1000;
  }
}

function limitNames({ tool, input }: ToolCall): string[] {
  const url = input !== null && typeof input === 'object' && !Array.isArray(input) ? input['url'] : undefined;
  return typeof url === 'string' && URL.canParse(url) ? [tool, `host:${new URL(url).hostname}`] : [tool];
}
