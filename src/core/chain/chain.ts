/**
 * Owns: the order of the chain that every call goes through, outermost first.
 *
 * validate   first, so that nothing behind it sees input of the wrong shape, and nobody sees such output
 * eligible   before anybody is asked about a call that is not possible here anyway
 * masked     likewise: a text that redaction has changed must not run, and nobody is asked about it
 * authorize  before anything is spent, waited for or looked up
 * budget     before the rate limit, so that a run without budget does not queue
 * rate       behind the budget, and before the cache: a cached answer takes a place in the queue, too
 * cache      before heal and retry: what is known needs neither
 * heal       outside retry: after an install the attempts are counted from the start
 * retry      outside record, so that every physical attempt is on disk before it acts
 * day-budget inside retry: every attempt is reserved by itself, and nothing that is cached or waits for its turn
 * record     outside timeout: an attempt that ran out of time is an attempt
 * confirm    right behind the record: what was approved is compared once more before it acts
 * timeout    around the tool alone, not around waiting for the disk
 * originals  inside record: what a person wrote is restored for the tool alone
 * secrets    inside record, so that no value can be recorded; right before the tool
 * claimed    after everything that takes time: what was true when the intent was recorded may be long ago
 */
import { asRegistry } from '../engine/tool-registry.ts';
import type { Cache, ClaimCheck, Clock, Middleware, Redact, ToolRegistry } from '../schema/ports.ts';
import type { Tool } from '../schema/tool.ts';
import { type ApprovalPorts, authorize, confirm, type Judge } from './middleware/authorize.ts';
import { budget } from './middleware/check-budget.ts';
import { cache } from './middleware/cache-results.ts';
import { eligible } from './middleware/eligible.ts';
import { heal, type Diagnose } from './middleware/heal.ts';
import { rate, type RateLimits, type TakePlaces } from './middleware/rate.ts';
import { record } from './middleware/record-attempt.ts';
import { dayBudget, type ReserveDayBudget } from './middleware/reserve-day-budget.ts';
import { retry } from './middleware/retry.ts';
import { secrets } from './middleware/insert-secrets.ts';
import { stillClaimed } from './middleware/still-claimed.ts';
import { timeout } from './middleware/timeout.ts';
import { validate } from './middleware/validate.ts';
import { refuseMasked, restoreOriginals } from './middleware/originals.ts';
import type { Restore } from './restore-originals.ts';
import type { Reveal } from './reveal-secrets.ts';

export type ChainOptions = {
  /** A list, or a registry that may change while calls are made. */
  tools: readonly Tool[] | ToolRegistry;
  clock: Clock;
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  cache?: Cache;
  judge?: Judge;
  asking?: ApprovalPorts;
  limits?: RateLimits;
  /** Counts calls under limits together with those of other homes. */
  takePlaces?: TakePlaces;
  /** In a fleet: whether nobody else can go on with a run by now. */
  claims?: ClaimCheck;
  diagnose?: Diagnose;
  /** Takes what a call may cost off the budget of the day. */
  reserveDayBudget?: ReserveDayBudget;
  reveal?: Reveal;
  /** Gives a call the texts that redaction has changed, as they were written. */
  restore?: Restore;
  redact?: Redact;
};

export function standardChain(options: ChainOptions): Middleware[] {
  const tools = asRegistry(options.tools);
  return [
    validate(tools),
    eligible(),
    refuseMasked(tools, options.restore),
    authorize(options.judge, options.asking),
    budget(tools),
    rate(options.limits ?? {}, options.clock, options.sleep, options.takePlaces),
    cache(tools, options.cache),
    heal(options.diagnose),
    retry(tools, options.sleep),
    dayBudget(tools, options.reserveDayBudget),
    record(),
    confirm(options.asking),
    timeout(),
    restoreOriginals(tools, options.restore),
    secrets(options.reveal, options.redact),
    stillClaimed(options.claims),
  ];
}
