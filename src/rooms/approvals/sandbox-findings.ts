/** Owns: what `oka doctor` reports about how commands are sandboxed. */
import { confinementFor } from '../../core/guard/command-rights.ts';
import { type KernelSupport, probeKernel } from '../../kit/sandbox/probe-kernel.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { findLauncher, type Launcher, nativeFolder } from '../../kit/sandbox/find-launcher.ts';
import { sandboxSetting } from '../../kit/sandbox/sandbox-note.ts';

export async function sandboxFindings(home: Home): Promise<Finding[]> {
  const launcher = findLauncher(nativeFolder);
  const [offer, sandbox] = [await probeKernel(launcher.path), sandboxSetting(home)];
  return [launcherFinding(launcher, offer), ...(offer.launcher ? kernelFindings(offer) : []), meaning(offer, sandbox)];
}

function launcherFinding({ path, origin, problem }: Launcher, offer: KernelSupport): Finding {
  const what = 'launcher';
  const [found, fix] = [
    `${path}, ${origin === 'prebuilt' ? 'as it came with oka' : 'built here'}`,
    'npm run build:native',
  ];
  if (offer.launcher) return { state: 'good', what, found: origin === 'none' ? `${path}, of older sources` : found };
  if (origin === 'none') return { state: 'odd', what, found: `${path} is not built; ${problem}`, fix };
  return { state: 'bad', what, found: `${path} does not run here`, fix };
}

function kernelFindings({ landlock, seccomp }: KernelSupport): Finding[] {
  const upgrade = 'A kernel from 6.12 on offers all of it.';
  return [
    landlock > 0
      ? { state: 'good', what: 'Landlock', found: `version ${landlock}: paths are restricted` }
      : {
          state: 'odd',
          what: 'Landlock',
          found: 'not available in this kernel or this container: paths are not restricted',
          fix: upgrade,
        },
    seccomp
      ? { state: 'good', what: 'seccomp', found: 'system calls, connections and signals are restricted' }
      : {
          state: 'bad',
          what: 'seccomp',
          found: 'filters with a listener are missing: no command can write',
          fix: upgrade,
        },
  ];
}

/** In one sentence what all of it comes to. */
function meaning(offer: KernelSupport, sandbox: 'jail' | 'none'): Finding {
  const confinement = confinementFor(offer, sandbox, 'model');
  const what = 'commands';
  switch (confinement.kind) {
    case 'jail':
      return {
        state: 'good',
        what,
        found: 'sandboxed by the kernel; with the network they reach only the egress proxy',
      };
    case 'none':
      return { state: 'odd', what, found: confinement.warning, fix: 'Remove "sandbox" from .oka/rules/config.json.' };
    case 'refused':
      return { state: 'odd', what, found: `only those that a person wrote run: ${confinement.reason}` };
  }
}
