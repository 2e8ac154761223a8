/**
 * Owns: what is known about a call whose worker died, from the launcher that outlived it.
 * Does not own: the conclusions (engine), where the folder is (sandbox.ts).
 *
 * A launcher that is still running is recognised by its kernel lock, never by a process number.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { type Launched, notRun } from './launch-result.ts';
import { dropResult, readResult, resultFile } from './result-file.ts';
import { claimTicket, launchEnvironment, isThere } from './launch-ticket.ts';

type WitnessOptions = {
  /** Path of native/oka-launch; without it a command that is still running cannot be waited for. */
  launcher: string;
  /** How long to wait for a command that is still running; its own time-out ends it anyway. */
  patienceMs: number;
  /** What `launchEnvironment` returned when the call was about to start; without it nothing is concluded from what is missing. */
  environment?: string | null;
};

const DAY_MS = 86_400_000;
const STALE_MS = 2 * DAY_MS;
const MAX_RETAINED = 10_000;

/** The result of a call; `running` when it has not ended within the patience; null when there is no record. */
export async function readWitness(
  folder: string,
  call: string,
  options: WitnessOptions,
): Promise<Launched | 'running' | null> {
  const file = resultFile(folder, call);
  const seen = readResult(file);
  if (seen !== null) return seen;
  const claim = await claimTicket(options.launcher, file, options.patienceMs);
  switch (claim) {
    case 'running':
      return claim;
    case 'begun':
      return readResult(file);
    case 'unbegun':
      return isSameEnvironment(folder, options) ? notRun({ how: 'not-begun' }) : null;
    case 'none':
      if (isThere(file) || !isSameEnvironment(folder, options)) return readResult(file);
      return notRun({ how: 'not-begun' });
    case 'unknown':
      return null;
  }
}

/** To be called when the outcome is durable elsewhere. */
export async function forgetWitness(folder: string, call: string): Promise<void> {
  await dropResult(resultFile(folder, call));
}

/** Removes what is recorded of the calls of a run, which another machine continued since: their names come again. */
export function dropResultsOf(folder: string, run: string): void {
  const prefix = basename(resultFile(folder, run)).slice(0, -'result'.length);
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
}

/**
 * Removes what nobody asked for in two days, and the oldest beyond a bound. Returns how many went. What belongs to a run
 * that is not over stays, whatever the clock says: it is missing only if it never was there.
 */
export async function tidyWitnesses(folder: string, now: number, openRuns: readonly string[] = []): Promise<number> {
  const found = await Promise.all((await resultNames(folder)).map((name) => statAge(join(folder, name))));
  const byAge = found.filter((entry) => entry !== null).toSorted((a, b) => b.at - a.at);
  const stale = byAge.filter(({ at }, index) => at < now - STALE_MS || (index >= MAX_RETAINED && at < now - DAY_MS));
  const needed = openRuns.map((run) => resultFile(folder, run).slice(0, -'result'.length));
  const gone = stale.filter(({ file }) => !needed.some((prefix) => file.startsWith(prefix)));
  for (const { file } of gone) await rm(file, { force: true });
  return gone.length;
}

/** Whether what is missing was never there (T4). */
function isSameEnvironment(folder: string, { environment = null }: WitnessOptions): boolean {
  return environment !== null && environment === launchEnvironment(folder);
}

async function resultNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /\.result(?:\.tmp)?$/.test(name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function statAge(file: string): Promise<{ file: string; at: number } | null> {
  try {
    return { file, at: (await lstat(file)).mtimeMs };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
