/**
 * Setup of every test process: what oka notes about homes outside of them goes to a temporary folder, not to that of the
 * person who runs the tests. Settings of other programs stay visible by links. Processes and worker threads find the code
 * that an earlier one compiled. Folders of tests (test-folders.ts) are removed at the end.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'oka-user-'));
  const config = join(folder, 'config');
  mkdirSync(config);
  const own = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  for (const name of namesIn(own)) if (name !== 'oka') symlinkSync(join(own, name), join(config, name));
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');
  process.env['XDG_CONFIG_HOME'] = config;
  process.env['XDG_STATE_HOME'] = join(folder, 'state');
  const memory = hasRoom('/dev/shm') ? mkdtempSync('/dev/shm/oka-tests-') : folder;
  process.env['TEST_FOLDERS'] = folder;
  process.env['TEST_FOLDERS_IN_MEMORY'] = memory;
  // Some trials become somebody else, and have to get to their folder in there.
  for (const each of [folder, memory]) chmodSync(each, 0o711);
  return () => {
    for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
  };
}

/** A container may have as little as 64 MB there. */
function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 1024 ** 3;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
