/**
 * Owns: the note that commands run without a sandbox, and why. Whoever runs commands asks the launcher and the kernel and
 * notes the answer; `oka status` reads it, since asking again would take as long as everything else that it does.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

export const SWITCHED_OFF = 'Commands run without a sandbox: it is switched off in config.json (sandbox: none).';

const noteFile = ({ oka }: Home): string => join(oka, 'state', 'unsandboxed.json');

/** What cannot be noted is only missing in `oka status`; RESULT.md and the console say it, too. */
export function noteUnsandboxed(home: Home, warning: string | null): void {
  if (notedWarning(home) === warning) return;
  try {
    if (warning === null) return rmSync(noteFile(home), { force: true });
    mkdirSync(dirname(noteFile(home)), { recursive: true, mode: 0o700 });
    replaceFile(noteFile(home), `${JSON.stringify({ warning })}\n`);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Why commands run without a sandbox here, as far as somebody has run or wanted to run one; null when they do not. */
export function sandboxWarning(home: Home): string | null {
  return sandboxSetting(home) === 'none' ? SWITCHED_OFF : notedWarning(home);
}

function notedWarning(home: Home): string | null {
  try {
    const { warning } = JSON.parse(readFileSync(noteFile(home), 'utf8')) as { warning?: unknown };
    return typeof warning === 'string' ? warning : null;
  } catch {
    return null; // none, or cut: the next process that runs commands writes it again
  }
}

/** One field of config.json, without the schema of all of them. A config that cannot be read is a finding of its own. */
export function sandboxSetting({ config }: Home): 'jail' | 'none' {
  try {
    return (JSON.parse(readFileSync(config, 'utf8')) as { sandbox?: unknown }).sandbox === 'none' ? 'none' : 'jail';
  } catch {
    return 'jail';
  }
}
