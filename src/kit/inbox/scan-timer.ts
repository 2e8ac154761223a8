/** Owns: when the inbox is scanned next: at the earliest requested time, but not all the time. */
import type { Clock } from '../../core/schema/ports.ts';
import type { Observed } from './delivery.ts';

const SOON_MS = 50;
/** Scans take at most a twentieth of the time, however many hints arrive. */
const SHARE = 20;

export class ScanTimer {
  readonly #scan: () => void;
  #planned: { at: number; handle: NodeJS.Timeout } | null = null;
  #scanMs = 0;
  #ended = false;

  constructor(scan: () => void) {
    this.#scan = scan;
  }

  soon(): void {
    this.#plan(this.#leastMs());
  }

  /** Plans the next scan after one that took this long and found these entries. */
  after(scanMs: number, observed: Iterable<Observed>, settings: Settings): void {
    this.#scanMs = scanMs;
    const wanted = Math.max(untilSettled(observed, settings), this.#leastMs());
    this.#plan(Math.min(settings.rescanMs, wanted));
  }

  end(): void {
    this.#ended = true;
    if (this.#planned !== null) clearTimeout(this.#planned.handle);
  }

  #leastMs(): number {
    return Math.max(SOON_MS, SHARE * this.#scanMs);
  }

  /** Plans a scan, unless an earlier one is planned already. */
  #plan(ms: number): void {
    const at = performance.now() + ms;
    if (this.#ended || (this.#planned !== null && this.#planned.at <= at)) return;
    if (this.#planned !== null) clearTimeout(this.#planned.handle);
    const run = (): void => {
      this.#planned = null;
      this.#scan();
    };
    this.#planned = { at, handle: setTimeout(run, ms) };
  }
}

type Settings = { settleMs: number; rescanMs: number; clock: Clock };

/** Time until the first entry that is not finished may be. */
function untilSettled(observed: Iterable<Observed>, { settleMs, rescanMs, clock }: Settings): number {
  const now = clock();
  let soonest = rescanMs;
  for (const { state, since } of observed) {
    if (state.kind !== 'fresh' && state.kind !== 'open') continue;
    soonest = Math.min(soonest, now - since < settleMs ? since + settleMs - now : settleMs);
  }
  return soonest;
}
