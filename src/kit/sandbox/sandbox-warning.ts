/** Owns: the warning that commands run without a sandbox, in the words that people read. */
import { confinementFor, missingSupport } from '../../core/guard/command-rights.ts';
import type { Home } from '../../core/schema/home.ts';
import type { KernelSupport } from './probe-kernel.ts';
import { noteUnsandboxed, SWITCHED_OFF } from './sandbox-note.ts';

/** Null when they are sandboxed. */
export function unsandboxedWarning(support: KernelSupport, sandbox: 'jail' | 'none'): string | null {
  if (confinementFor(support, sandbox, 'operator').kind !== 'none') return null;
  return sandbox === 'none'
    ? SWITCHED_OFF
    : `Commands run without a sandbox: ${missingSupport(support)}. Those that a model wrote are refused.`;
}

/** For `oka status`: what this machine offers, whatever config.json says now. */
export function noteSupport(home: Home, support: KernelSupport): KernelSupport {
  noteUnsandboxed(home, unsandboxedWarning(support, 'jail'));
  return support;
}
