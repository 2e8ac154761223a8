/**
 * The time of the machine: its monotonic clock, which all its processes share, which nobody can set and which stands
 * still while the machine sleeps, and the boot in which it counts.
 */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export type MachineTime = { boot: string; ms: number };

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export const machineTime = (): MachineTime => ({ boot: bootId(), ms: monotonicMs() });

export const monotonicMs = (): number => Math.round(Number(process.hrtime.bigint() / 1000n) / 1000);

/** Empty on systems that have none: they have one machine, too. */
export function bootId(): string {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    return '';
  }
}

/** A moment by two clocks: one that counts the sleep of the machine, and the one that people set. */
export type Moment = { upMs: number; clock: number };

export const momentNow = (): Moment => ({ upMs: uptime() * 1000, clock: Date.now() });

/** By the clock that says more: a machine of which only an image was stored finds that just one of them went on. */
export const passedSince = ({ upMs, clock }: Moment): number => Math.max(uptime() * 1000 - upMs, Date.now() - clock);
