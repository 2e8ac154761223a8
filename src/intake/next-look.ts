/** Owns: when the inbox is looked through next: at the earliest time that somebody wants, and not all the time. */
import type { Clock } from '../schema/ports.ts';
import type { Sight } from './deliver.ts';

const SOON_MS = 50;
/** Looking may take a tenth of the time at most, however many hints come. */
const SHARE = 10;

export class NextLook {
  readonly #look: () => void;
  #planned: { at: number; handle: NodeJS.Timeout } | null = null;
  #lookMs = 0;
  #ended = false;

  constructor(look: () => void) {
    this.#look = look;
  }

  soon(): void {
    this.#plan(this.#leastMs());
  }

  /** After a look that took so long and saw this. */
  after(lookMs: number, sights: Iterable<Sight>, settings: Settings): void {
    this.#lookMs = lookMs;
    const wanted = Math.max(untilSettled(sights, settings), this.#leastMs());
    this.#plan(Math.min(settings.rescanMs, wanted));
  }

  end(): void {
    this.#ended = true;
    if (this.#planned !== null) clearTimeout(this.#planned.handle);
  }

  #leastMs(): number {
    return Math.max(SOON_MS, SHARE * this.#lookMs);
  }

  /** Brings the next look forward; a later one is not wanted while an earlier one is planned. */
  #plan(ms: number): void {
    const at = performance.now() + ms;
    if (this.#ended || (this.#planned !== null && this.#planned.at <= at)) return;
    if (this.#planned !== null) clearTimeout(this.#planned.handle);
    const look = (): void => {
      this.#planned = null;
      this.#look();
    };
    this.#planned = { at, handle: setTimeout(look, ms) };
  }
}

type Settings = { settleMs: number; rescanMs: number; clock: Clock };

/** Until the first of those that are fresh may have settled. */
function untilSettled(sights: Iterable<Sight>, { settleMs, rescanMs, clock }: Settings): number {
  const now = clock();
  let soonest = rescanMs;
  for (const { state, since } of sights) {
    if (state.kind !== 'fresh') continue;
    soonest = Math.min(soonest, now - since < settleMs ? since + settleMs - now : settleMs);
  }
  return soonest;
}
