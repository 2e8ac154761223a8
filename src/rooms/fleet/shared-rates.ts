/**
 * Owns: rate limits in a fleet: taking places in the value with the calls of all homes (rooms/fleet/servers/rate-book.ts).
 * Does not own: the limits, which each home has in its settings.
 *
 * 1. A call takes a place in the value before it is made, if there is one. Of two homes that take the last place at once
 *    one is refused.
 * 2. No clock of one home is compared with that of another: a home counts calls from when it first saw them, with a clock
 *    that nobody sets. So it counts them a moment too long, never too short, and a home that has just started counts all
 *    that it finds as if it had been made just now.
 * 3. A home that ends loses at most its places, and those only for the time of the limit.
 * 4. Under a limit of many calls those of one home within a short time are counted as one entry, as old as the last of
 *    them, so that the value stays small.
 * 5. While the servers do not answer no place is taken: the call waits, as long as nobody stops it.
 * 6. A place whose answer came late is not used, since others have counted it for a while: another one is taken. So is one
 *    after an attempt without an answer.
 */
import {
  countedMs,
  latencyMs,
  type RateEntry,
  type RateLimit,
  sightingOf,
  type Sightings,
  type WantedPlace,
  withPlaces,
} from './servers/rate-book.ts';
import { changeValue, type SharedLog } from './servers/shared-values.ts';
import { FleetRates } from '../../core/schema/fleet-values.ts';
import type { TakePlaces } from '../../core/chain/middleware/rate.ts';
import { untilAnswered } from './until-answered.ts';
import type { SharedRates } from '../../kit/ports/fleet-port.ts';
import { oneAtATime } from '../../kit/pause.ts';

const KEY = 'rates';
const MOST_ENTRIES = 32;
const SOON_MS = 10;

/** `process` differs for each process, also of one home. */
export function sharedRates(
  log: SharedLog,
  process: string,
  monotonic: () => number = () => performance.now(),
): SharedRates {
  const seen: Sightings = new Map();
  const own = new Map<string, RateEntry>();
  let entries = 0;
  let cleaning: NodeJS.Timeout | undefined;

  const inTurn = oneAtATime();
  const placeFor = (name: string, limit: RateLimit): WantedPlace => {
    const open = own.get(name);
    const isOpen = open !== undefined && monotonic() - open.since < (limit.seconds * 1000) / MOST_ENTRIES;
    if (isOpen && limit.calls > MOST_ENTRIES) return { name, limit, entry: open };
    entries += 1;
    return { name, limit, entry: { id: `${process}-${entries}`, calls: 0, since: monotonic() } };
  };
  const change = (wanted: readonly WantedPlace[]): Promise<number> =>
    changeValue(log, KEY, FleetRates, (value) => {
      const { next, wait } = withPlaces(value, wanted, seen, monotonic());
      const isSame = JSON.stringify(next) === JSON.stringify(value ?? { limits: {} });
      return { next: isSame ? null : next, result: wait };
    });
  const takeInTime = async (
    limits: Parameters<TakePlaces>[0],
    signal: AbortSignal,
  ): Promise<{ ms: number | null; wanted: WantedPlace[] }> => {
    const inTimeMs = Math.min(...Object.values(limits).map(({ seconds }) => latencyMs(seconds)));
    for (;;) {
      let began = monotonic();
      let wanted: WantedPlace[] = [];
      const ms = await untilAnswered(signal, () => {
        if (wanted.length > 0) for (const name of Object.keys(limits)) own.delete(name);
        began = monotonic();
        wanted = Object.entries(limits).map(([name, limit]) => placeFor(name, limit));
        return change(wanted);
      });
      if (ms !== 0 || monotonic() - began <= inTimeMs) return { ms, wanted };
      for (const name of Object.keys(limits)) own.delete(name);
    }
  };
  /** What nobody calls any more is removed by whoever has called it last. */
  const cleanAfter = (ms: number): void => {
    clearTimeout(cleaning);
    cleaning = setTimeout(() => void inTurn(() => change([])).catch(() => undefined), ms + SOON_MS).unref();
  };

  return {
    take: (limits, signal) =>
      inTurn(async () => {
        const { ms, wanted } = await takeInTime(limits, signal);
        if (ms === null || signal.aborted) return null;
        if (ms > 0) return Math.max(SOON_MS, ms);
        for (const { name, entry } of wanted) {
          entry.calls += 1;
          own.set(name, entry);
          seen.set(sightingOf(name, entry.id), { calls: entry.calls, since: monotonic() });
        }
        cleanAfter(countedMs(Math.max(...Object.values(limits).map(({ seconds }) => seconds))));
        return 0;
      }),
  };
}
