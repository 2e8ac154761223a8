/** Owns: the sandbox of a command that may only read, with any folder as its desk: no network, no writable place. */
import { join } from 'node:path';
import { rightsOf } from '../../core/guard/command-rights.ts';
import type { Home } from '../../core/schema/home.ts';
import type { CommandSandbox } from './command-sandbox.ts';
import { prepareLauncher } from './find-launcher.ts';
import { probeKernel } from './probe-kernel.ts';
import { barePath, NEUTRAL_GIT, OFFLINE } from './sandbox-environment.ts';
import { resolvePlaces } from './sandbox-places.ts';

/** Where the kernel cannot hold a command to that, it is refused. */
export async function readingSandbox(home: Home, desk: string): Promise<CommandSandbox> {
  const { path } = await prepareLauncher();
  const support = await probeKernel(path);
  if (support.landlock === 0 || !support.seccomp)
    return { kind: 'refused', reason: 'the kernel of this machine cannot keep a command from changing something' };
  const places = resolvePlaces({ oka: home.oka, desk, scratch: null, tools: join(home.oka, 'tools') });
  return {
    kind: 'ready',
    env: { PATH: barePath(home), ...OFFLINE, ...NEUTRAL_GIT },
    launch: {
      launcher: path,
      rights: rightsOf({ class: 'read', author: 'model', net: null, installer: false }, places, support),
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
