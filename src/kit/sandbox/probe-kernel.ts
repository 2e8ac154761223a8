/** Owns: asking the launcher what the kernel offers for sandboxing. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

export type KernelSupport = { launcher: boolean; landlock: number; seccomp: boolean };

const LONGEST_ANSWER_MS = 10_000;

/** What launchers answered in this process: the kernel stays the same, so only another launcher answers differently. */
const probed = new Map<string, KernelSupport>();

/** What the kernel offers for sandboxing; nothing when there is no launcher. */
export async function probeKernel(launcher: string): Promise<KernelSupport> {
  const { ino, mtimeNs, size } = statSync(launcher, { bigint: true, throwIfNoEntry: false }) ?? {};
  const identity = [launcher, ino, mtimeNs, size].join(' ');
  const found = probed.get(identity) ?? askLauncher(launcher);
  if (found.launcher) probed.set(identity, found);
  return found;
}

/** It answers at once; to wait without blocking would load sockets. */
function askLauncher(launcher: string): KernelSupport {
  const none: KernelSupport = { launcher: false, landlock: 0, seccomp: false };
  const { status, stdout } = spawnSync(launcher, ['--probe'], {
    env: {},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LONGEST_ANSWER_MS,
  });
  return status === 0 ? { ...none, ...(JSON.parse(stdout) as Partial<KernelSupport>), launcher: true } : none;
}
