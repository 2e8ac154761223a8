/**
 * Where npm's settings for the whole machine are. npm finds them by its prefix; commands are given another prefix, so
 * they need it in their environment. Asked once for an environment, when somebody first needs the network: it takes a moment.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { packageEnvironment } from '../settings.ts';
import type { Home } from '../../schema/home.ts';

const TIMEOUT_MS = 15_000;
const answers = new Map<string, Promise<string | null>>();

/** Null when there is no such file, or no npm. Asked in a folder that no command of a task can write. */
export function npmGlobalConfig({ dir }: Home): Promise<string | null> {
  const env = packageEnvironment();
  const key = JSON.stringify([dir, env]);
  const answer = answers.get(key) ?? askNpm(dir, env);
  answers.set(key, answer);
  return answer;
}

async function askNpm(cwd: string, env: Record<string, string>): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'globalconfig'], {
      cwd,
      env,
      timeout: TIMEOUT_MS,
    });
    const file = stdout.trim();
    return file.startsWith('/') && existsSync(file) ? file : null;
  } catch {
    return null; // no npm: nobody needs its settings
  }
}
