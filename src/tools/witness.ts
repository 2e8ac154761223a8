/**
 * Owns: what is known about a call whose worker died, from the launcher that did not.
 * Does not own: what is made of it (engine), where the folder is (daemon).
 *
 * A launcher that is still at work is known by its lock, which the kernel keeps, never by a process number.
 */
import { spawn } from 'node:child_process';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../schema/errors.ts';
import type { Launched } from './launched.ts';
import { dropResult, readResult, resultFile, temporaryOf } from './result-file.ts';

export type WitnessOptions = {
  /** Path of native/oka-launch; without it a command that is still running cannot be waited for. */
  launcher: string;
  /** How long to wait for a command that is still running; its own time-out ends it anyway. */
  patienceMs: number;
};

const OVER = 0;
const STILL_RUNNING = 75;
/** No command may run longer than a day, so what is older belongs to nobody. */
const STALE_MS = 2 * 86_400_000;
const MOST_KEPT = 10_000;

/** What came of a call; `running` when it has not ended within the patience; null when nobody saw. */
export async function witnessOf(
  folder: string,
  call: string,
  options: WitnessOptions,
): Promise<Launched | 'running' | null> {
  const file = resultFile(folder, call);
  const seen = await readResult(file);
  if (seen !== null) return seen;
  const status = await awaitLauncher(file, options);
  if (status === STILL_RUNNING) return 'running';
  return status === OVER ? readResult(file) : null;
}

/** To be called when the outcome is durable elsewhere. */
export async function forgetWitness(folder: string, call: string): Promise<void> {
  await dropResult(resultFile(folder, call));
}

/** Removes what nobody asked for in two days, and the oldest beyond a bound. Returns how many went. */
export async function tidyWitnesses(folder: string, now: number): Promise<number> {
  const found = await Promise.all((await namesIn(folder)).map((name) => aged(join(folder, name))));
  const byAge = found.filter((entry) => entry !== null).toSorted((a, b) => b.at - a.at);
  const gone = byAge.filter(({ at }, index) => at < now - STALE_MS || index >= MOST_KEPT);
  for (const { file } of gone) await rm(file, { force: true });
  return gone.length;
}

/** The exit status of the launcher in its waiting mode; null when it could not be asked. */
async function awaitLauncher(file: string, { launcher, patienceMs }: WitnessOptions): Promise<number | null> {
  if ((await aged(temporaryOf(file))) === null) return OVER;
  const args = ['--await', file, '--timeout-ms', String(Math.max(0, Math.ceil(patienceMs)))];
  const child = spawn(launcher, args, { env: {}, stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
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
