/**
 * Setup of every test process: what oka notes about homes outside of them goes to a temporary folder, not to that of the
 * person who runs the tests. Settings of other programs stay visible by links. Processes and worker threads find the code
 * that an earlier one compiled.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
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
  return () => rmSync(folder, { recursive: true, force: true });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
