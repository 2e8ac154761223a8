/**
 * Owns: what stands in front of a browser when it is started: the launcher, which ends it and everything it started together
 * with this process. What its pages are kept from is the browser's own sandbox, and the proxy.
 */
import { mkdirSync } from 'node:fs';
import { endLeftovers, markOf } from './desk-lock.ts';
import { launcherPath } from './find-launcher.ts';

/** Ends what an earlier process has left of browsers whose launcher was killed, too. `state` is the folder of all of them. */
export async function endLeftBrowsers(state: string): Promise<void> {
  await endLeftovers(launcherPath(), markOf(state));
}

/** The words in front of the program and its arguments. */
export function browserLauncher(state: string, folder: string): string[] {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const mark = String(markOf(state));
  return [launcherPath(), '--pipe', '--parent', String(process.pid), '--cwd', folder, '--mark', mark, '--open', '--'];
}
