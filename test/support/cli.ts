/** Running the real command line in a process of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const launcher = fileURLToPath(new URL('../../bin/oka', import.meta.url));

export type Ran = { code: number | null; out: string; err: string };

export function oka(...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

export type TemporaryFolder = { dir: string; [Symbol.dispose](): void };

export function temporaryFolder(): TemporaryFolder {
  const dir = mkdtempSync(join(tmpdir(), 'oka-test-'));
  return { dir, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}
