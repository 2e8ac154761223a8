/**
 * How often a tool or a host may be called. Short delays are sat out, long ones become a wait. Calls that reach something
 * outside are counted together with those of other homes, where there are any.
 */
import type { Clock, Middleware } from '../../schema/ports.ts';
import { type Outcome, reachesOutside, type ToolCall } from '../../schema/tool.ts';

/** By tool name, or by `host:example.org`. */
export type RateLimits = Readonly<Record<string, { calls: number; seconds: number }>>;

/** Takes a place under each limit: 0, or in how many milliseconds there may be one. Null when it was stopped. */
export type TakePlaces = (limits: RateLimits, signal: AbortSignal) => Promise<number | null>;

const MAX_DELAY_MS = 5000;
const notBegun: Outcome = { status: 'cancelled', error: 'stopped before it began', begun: false };

export function rate(
  limits: RateLimits,
  clock: Clock,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
  takePlaces?: TakePlaces,
): Middleware {
  if (Object.keys(limits).length === 0) return { name: 'rate' };
  const recent = new Map<string, number[]>();
  const hasHosts = Object.keys(limits).some((name) => name.startsWith(HOST));
  return {
    name: 'rate',
    appliesTo: ({ name }) => hasHosts || limits[name] !== undefined,
    call: async (call, next) => {
      const now = clock();
      const limited = limitNames(call).filter((name) => limits[name] !== undefined);
      const isShared = (name: string): boolean => takePlaces !== undefined && isOutside(name);
      const names = limited.filter((name) => !isShared(name));
      const free = Math.max(now, ...names.map((name) => freeAt(name, now)));
      if (free - now > MAX_DELAY_MS) return waitFor(free - now);
      for (const name of names) recent.get(name)?.push(free);
      if (free > now) await sleep(free - now, call.signal);
      return (await waitForPlaces(limited.filter(isShared), call.signal)) ?? next(call);
    },
  };

  /** Null once there is a place for the call among those of all homes. */
  async function waitForPlaces(names: readonly string[], signal: AbortSignal): Promise<Outcome | null> {
    if (takePlaces === undefined || names.length === 0) return null;
    const shared = Object.fromEntries(names.flatMap((name) => (limits[name] ? [[name, limits[name]]] : [])));
    for (;;) {
      const ms = await takePlaces(shared, signal);
      if (ms === 0) return null;
      if (ms === null) return notBegun;
      if (ms > MAX_DELAY_MS) return waitFor(ms);
      await sleep(ms, signal);
    }
  }

  function waitFor(ms: number): Outcome {
    const until = new Date(clock() + ms).toISOString();
    return { status: 'waiting', for: { kind: 'timer', until, ms: Math.ceil(ms) } };
  }

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

const HOST = 'host:';

const isOutside = (name: string): boolean => name.startsWith(HOST) || reachesOutside(name);

function limitNames({ tool, input }: ToolCall): string[] {
  const url = input !== null && typeof input === 'object' && !Array.isArray(input) ? input['url'] : undefined;
  return typeof url === 'string' && URL.canParse(url) ? [tool, `${HOST}${new URL(url).hostname}`] : [tool];
}
