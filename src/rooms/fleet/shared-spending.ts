/**
 * Owns: the money of the day in a fleet: what each home has spent and reserved, in one value that all homes change.
 * Does not own: what this home has spent, which its ledger says (core/guard/day-spending.ts).
 *
 * 1. A home replaces only its own part, with what its ledger says. A member that is gone keeps its part, its reservations too.
 * 2. A reservation is in the value before it is in the ledger. If the home ends in between, the call was not made, and the
 *    next change of this home takes it out again.
 * 3. While the servers do not answer nothing is reserved: the call waits, as long as nobody stops it.
 */
import { changeValue, type SharedLog } from './servers/shared-values.ts';
import { type HomeSpending, recentSpending, sumSpending } from '../../core/guard/day-spending.ts';
import { FleetSpending } from '../../core/schema/fleet-values.ts';
import { untilAnswered } from './until-answered.ts';
import type { SharedSpending } from '../../kit/ports/fleet-port.ts';

const KEY = 'budget';
const PUBLISH_MS = 2000;
const KNOWN_MS = 10_000;
const QUARTER_MS = 15 * 60_000;

export function sharedSpending(log: SharedLog, home: string, clock: () => number = Date.now): SharedSpending {
  let known: { others: HomeSpending[]; since: number } | null = null;
  let published = Number.NEGATIVE_INFINITY;
  let isPublishing = false;
  const replaceOwn = async (own: HomeSpending, change: (all: HomeSpending) => HomeSpending): Promise<HomeSpending> => {
    const recent = recentSpending(own, clock());
    return changeValue(log, KEY, FleetSpending, (value) => {
      const { [home]: before, ...rest } = value?.homes ?? {};
      const others = Object.values(rest);
      known = { others, since: performance.now() };
      const all = sumSpending([recent, ...others]);
      const mine = change(all);
      const isSame = JSON.stringify(mine) === JSON.stringify(before ?? { spent: {}, reserved: {} });
      return { next: isSame ? null : { homes: { ...rest, [home]: mine } }, result: all };
    });
  };
  return {
    reserve: async (own, { call, signal }, { usd, tokens }, fits) => {
      const recent = recentSpending(own, clock());
      const quarter = Math.floor(clock() / QUARTER_MS);
      const withCall = { ...recent, reserved: { ...recent.reserved, [call]: { usd, tokens, quarter } } };
      return untilAnswered(signal, () => replaceOwn(own, (all) => (fits(all) ? withCall : recent)));
    },
    publish: (own, inTurn) => {
      if (isPublishing || performance.now() - published < PUBLISH_MS) return;
      isPublishing = true;
      void inTurn(() => replaceOwn(own(), () => recentSpending(own(), clock())))
        .catch(() => undefined) // it is told with the next change
        .finally(() => {
          isPublishing = false;
          published = performance.now();
        });
    },
    others: () => (known !== null && performance.now() - known.since < KNOWN_MS ? known.others : null),
  };
}
