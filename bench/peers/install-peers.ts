/** Packages that only a bench needs, installed beside it by its first run. */
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whatever cannot be installed is missing in the table, with the reason. */
export function installPeers(folder: string, note: string): void {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(join(folder, 'package.json')).mtimeMs) return;
  process.stderr.write(`${note}\n`);
  const { status } = spawnSync('npm', ['install'], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.stderr.write('npm install failed; what is missing is said in the table\n');
}
