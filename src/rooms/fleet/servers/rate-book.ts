/**
 * Owns: the calls of all homes under rate limits, as one value. Pure.
 * Does not own: when a home asks (rooms/fleet/shared-rates.ts), nor the limits.
 *
 * 1. There is no time in the value. A home counts an entry from when it has first seen it as it is.
 * 2. Whoever has seen an entry for the whole time removes it, whoever made it.
 */
import type { FleetRates } from '../../../core/schema/fleet-values.ts';

export type RateLimit = { calls: number; seconds: number };
/** Calls of one process that are counted as one. `calls`: those that have been made. */
export type RateEntry = { id: string; calls: number; since: number };
export type WantedPlace = { name: string; limit: RateLimit; entry: RateEntry };
/** Since when a process has seen entries as they are. */
export type Sightings = Map<string, { calls: number; since: number }>;

type Counted = { id: string; calls: number; ends: number };

const LEAST_LATENCY_MS = 1000;
const MOST_LATENCY_MS = 5000;

/** How much later than its place was asked for a call may be made. */
export const latencyMs = (seconds: number): number =>
  Math.min(MOST_LATENCY_MS, Math.max(LEAST_LATENCY_MS, seconds * 100));

/** For how long a call counts. */
export const countedMs = (seconds: number): number => seconds * 1000 + latencyMs(seconds);

export const sightingOf = (name: string, id: string): string => `${name} ${id}`;

/** The value with a place under each limit; or without, and in how many milliseconds there may be one. */
export function withPlaces(
  value: FleetRates | null,
  wanted: readonly WantedPlace[],
  seen: Sightings,
  now: number,
): { next: FleetRates; wait: number } {
  const before = value?.limits ?? {};
  const limits: FleetRates['limits'] = {};
  let wait = 0;
  for (const name of new Set([...Object.keys(before), ...wanted.map((each) => each.name)])) {
    const place = wanted.find((each) => each.name === name);
    const seconds = Math.max(before[name]?.seconds ?? 0, place?.limit.seconds ?? 0);
    const counted = countedEntries(name, before[name]?.taken ?? {}, countedMs(seconds), seen, now);
    const made = counted.map((each) => (each.id === place?.entry.id ? { ...each, calls: place.entry.calls } : each));
    if (place !== undefined) wait = Math.max(wait, momentOfPlace(place.limit.calls, made) - now);
    const left = made.filter(({ calls }) => calls > 0).map(({ id, calls }) => [id, calls]);
    limits[name] = { seconds, taken: Object.fromEntries(left) };
  }
  if (wait <= 0) for (const { name, entry } of wanted) if (limits[name]) limits[name].taken[entry.id] = entry.calls + 1;
  const used = Object.entries(limits).filter(([, { taken }]) => Object.keys(taken).length > 0);
  const left = new Set(used.flatMap(([name, { taken }]) => Object.keys(taken).map((id) => sightingOf(name, id))));
  for (const key of seen.keys()) if (!left.has(key)) seen.delete(key);
  return { next: { limits: Object.fromEntries(used) }, wait: Math.max(0, wait) };
}

/** The entries that still count, with the moment from which they do not. */
function countedEntries(
  name: string,
  taken: Readonly<Record<string, number>>,
  forMs: number,
  seen: Sightings,
  now: number,
): Counted[] {
  return Object.entries(taken).flatMap(([id, calls]) => {
    const key = sightingOf(name, id);
    const before = seen.get(key);
    const since = before?.calls === calls ? before.since : now;
    seen.set(key, { calls, since });
    return since + forMs > now ? [{ id, calls, ends: since + forMs }] : [];
  });
}

/** The moment at which so many entries have ended that one more call fits; 0 when it fits now. */
function momentOfPlace(most: number, entries: readonly Counted[]): number {
  let left = entries.reduce((sum, { calls }) => sum + calls, 0);
  let moment = 0;
  for (const { calls, ends } of entries.toSorted((a, b) => a.ends - b.ends)) {
    if (left < most) break;
    left -= calls;
    moment = ends;
  }
  return moment;
}
