/**
 * Backups by the worker, when the last one is old enough. Each is made by a process of its own, so that no step waits while
 * files are read and encrypted; one that fails is tried again an hour later, and `oka doctor` and `oka status` name the reason.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';
import { NODE_FLAGS } from '../../kit/house/supervise.ts';
import { programFolder } from '../../kit/settings.ts';
import { lastBackup } from './back-up.ts';
import type { BackupConfig } from './backup-config.ts';
import { pause } from '../../kit/pause.ts';

type Pace = { firstMs: number; lookMs: number; afterFailureMs: number };
const USUAL: Pace = { firstMs: 60_000, lookMs: 60_000, afterFailureMs: 3_600_000 };
const HOUR = 3_600_000;

export function backUpDaily(home: Home, config: BackupConfig, pace: Pace = USUAL): { end: () => Promise<void> } {
  const stop = new AbortController();
  const work =
    config.to === undefined || config.recovery === undefined
      ? Promise.resolve()
      : again(home, config, pace, stop.signal);
  return {
    end: async () => {
      stop.abort();
      await work;
    },
  };
}

async function again(home: Home, config: BackupConfig, pace: Pace, signal: AbortSignal): Promise<void> {
  let notBefore = performance.now() + pace.firstMs;
  while (!signal.aborted) {
    if (performance.now() >= notBefore && isDue(lastBackup(home)?.at ?? null, config, Date.now())) {
      const code = await backupProcess(home, signal);
      if (code !== 0) notBefore = performance.now() + pace.afterFailureMs;
    }
    await pause(pace.lookMs, signal, { ref: false });
  }
}

/** A time in the future is of a clock that was wrong. */
function isDue(last: string | null, { every_hours: hours }: Pick<BackupConfig, 'every_hours'>, now: number): boolean {
  const age = last === null ? Number.POSITIVE_INFINITY : now - Date.parse(last);
  return !(age >= 0 && age < hours * HOUR);
}

/** Resolves to its exit status, or null when it was ended. */
async function backupProcess(home: Home, signal: AbortSignal): Promise<number | null> {
  const args = [...NODE_FLAGS, join(programFolder, 'bin', 'oka'), 'backup', '--json', '--dir', home.dir];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return code;
  } catch {
    return null; // it could not be started; the next attempt may
  } finally {
    signal.removeEventListener('abort', end);
  }
}
