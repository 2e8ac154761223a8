/** Owns: which Chromium of this machine is started. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { WaitFor } from '../../core/schema/wait.ts';
import { programPath } from '../../kit/settings.ts';

/** Programs before the scripts that distributions put around them. */
const PLACES = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Null when there is none. */
export function findChromium(named?: string): string | null {
  if (named !== undefined) return isProgram(named) ? named : null;
  const onPath = programPath()
    .split(':')
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...PLACES, ...onPath].find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // it is not there, or not for us
  }
}

/** What a step waits for where there is none. */
export const chromiumNeed = (named?: string): WaitFor => ({
  kind: 'requirement',
  name: 'chromium',
  need: {
    kind: 'command',
    name: 'chromium',
    evidence:
      named === undefined
        ? 'a task needs a browser, and there is no Chromium on this machine'
        : `a task needs a browser, and ${named}, which config.json names, cannot be run`,
  },
});
