/**
 * Owns: what is known about a call whose worker died, from the launcher that did not.
 * Does not own: what is made of it (engine), where the folder is (daemon).
 *
 * A launcher that is still at work is known by its lock, which the kernel keeps, never by a process number.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../schema/errors.ts';
import { type Launched, notRun } from './launched.ts';
import { dropResult, readResult, resultFile } from './result-file.ts';
import { claimTicket, groundOf, isThere } from './ticket.ts';

export type WitnessOptions = {
  /** Path of native/oka-launch; without it a command that is still running cannot be waited for. */
  launcher: string;
  /** How long to wait for a command that is still running; its own time-out ends it anyway. */
  patienceMs: number;
  /** What `groundOf` said when the call was about to start, and when that was; without it nothing is concluded from what is missing. */
  ground?: { name: string; at: number } | null;
};

/** No command may run longer than a day, so what is older belongs to nobody. */
const STALE_MS = 2 * 86_400_000;
const MOST_KEPT = 10_000;
/** What is younger is never tidied away, so that it is missing only if it never was there. */
const TRUSTED_MS = 86_400_000;

/** What came of a call; `running` when it has not ended within the patience; null when nobody saw. */
export async function witnessOf(
  folder: string,
  call: string,
  options: WitnessOptions,
): Promise<Launched | 'running' | null> {
  const file = resultFile(folder, call);
  const seen = await readResult(file);
  if (seen !== null) return seen;
  const claim = await claimTicket(options.launcher, file, options.patienceMs);
  switch (claim) {
    case 'running':
      return claim;
    case 'begun':
      return readResult(file);
    case 'unbegun':
      return (await isOnItsGround(folder, options)) ? notRun({ how: 'not-begun' }) : null;
    case 'none':
      if ((await isThere(file)) || !(await isOnItsGround(folder, options))) return readResult(file);
      return notRun({ how: 'not-begun' });
    case 'unknown':
      return null;
  }
}

/** To be called when the outcome is durable elsewhere. */
export async function forgetWitness(folder: string, call: string): Promise<void> {
  await dropResult(resultFile(folder, call));
}

/** Removes what nobody asked for in two days, and the oldest beyond a bound. Returns how many went. */
export async function tidyWitnesses(folder: string, now: number): Promise<number> {
  const found = await Promise.all((await namesIn(folder)).map((name) => aged(join(folder, name))));
  const byAge = found.filter((entry) => entry !== null).toSorted((a, b) => b.at - a.at);
  const gone = byAge.filter(({ at }, index) => at < now - STALE_MS || (index >= MOST_KEPT && at < now - TRUSTED_MS));
  for (const { file } of gone) await rm(file, { force: true });
  return gone.length;
}

/** Whether what is missing was never there (T4). */
async function isOnItsGround(folder: string, { ground = null }: WitnessOptions): Promise<boolean> {
  return ground !== null && ground.at > Date.now() - TRUSTED_MS && ground.name === (await groundOf(folder));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.result(?:\.tmp)?$/.test(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function aged(file: string): Promise<{ file: string; at: number } | null> {
  try {
    return { file, at: (await lstat(file)).mtimeMs };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
