/** Owns: the warning that commands run without a sandbox. `oka status` shows it, so it loads little. */
import { readFileSync } from 'node:fs';
import { confinementFor, missingSupport } from '../../core/guard/command-rights.ts';
import type { Home } from '../../core/schema/home.ts';
import { type KernelSupport, probeKernel } from './probe-kernel.ts';
import { findLauncher, nativeFolder } from './find-launcher.ts';

/** What `oka status` says when commands are not sandboxed here; null when they are. */
export async function sandboxWarning(home: Home): Promise<string | null> {
  return unsandboxedWarning(await probeKernel(findLauncher(nativeFolder).path), sandboxSetting(home));
}

export function unsandboxedWarning(support: KernelSupport, sandbox: 'jail' | 'none'): string | null {
  const confinement = confinementFor(support, sandbox, 'operator');
  if (confinement.kind !== 'none') return null;
  return sandbox === 'none'
    ? 'Commands run without a sandbox: it is switched off in config.json (sandbox: none).'
    : `Commands run without a sandbox: ${missingSupport(support)}. Those that a model wrote are refused.`;
}

/** One field of config.json, without the schema of all of them. A config that cannot be read is a finding of its own. */
export function sandboxSetting({ config }: Home): 'jail' | 'none' {
  try {
    return (JSON.parse(readFileSync(config, 'utf8')) as { sandbox?: unknown }).sandbox === 'none' ? 'none' : 'jail';
  } catch {
    return 'jail';
  }
}
