/** Owns: asking the launcher what the kernel offers for sandboxing. `oka status` shows it, so it loads nothing else. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';

export type KernelSupport = { launcher: boolean; landlock: number; seccomp: boolean };

/** What launchers answered in this process: the kernel stays the same, so only another launcher answers differently. */
const probed = new Map<string, KernelSupport>();

/** What the kernel offers for sandboxing; nothing when there is no launcher. */
export async function probeKernel(launcher: string): Promise<KernelSupport> {
  const { ino, mtimeNs, size } = statSync(launcher, { bigint: true, throwIfNoEntry: false }) ?? {};
  const identity = [launcher, ino, mtimeNs, size].join(' ');
  const found = probed.get(identity) ?? (await askLauncher(launcher));
  if (found.launcher) probed.set(identity, found);
  return found;
}

async function askLauncher(launcher: string): Promise<KernelSupport> {
  const none: KernelSupport = { launcher: false, landlock: 0, seccomp: false };
  const said = await new Promise<string | null>((resolve) => {
    const child = execFile(launcher, ['--probe'], { env: {} }, (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
    child.stdin?.end();
  });
  return said === null ? none : { ...none, ...(JSON.parse(said) as Partial<KernelSupport>), launcher: true };
}
