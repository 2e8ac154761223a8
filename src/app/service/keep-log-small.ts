/**
 * The log of a service that launchd appends to, and that nobody else looks after (systemd's journal and Docker limit theirs):
 * what is too long becomes `<file>.1`, in the place of the one before, and the file begins anew.
 */
import { copyFileSync, lstatSync, truncateSync } from 'node:fs';
import { pause } from '../../kit/pause.ts';

const MOST_BYTES = 10_000_000;
const LOOK_EVERY_MS = 60_000;

export async function keepLogSmall(file: string, signal: AbortSignal, everyMs = LOOK_EVERY_MS): Promise<void> {
  while (!signal.aborted) {
    try {
      const found = lstatSync(file);
      if (found.isFile() && found.size > MOST_BYTES) {
        copyFileSync(file, `${file}.1`);
        truncateSync(file); // whoever appends goes on at its new end
      }
    } catch {
      // What could be said about it would go into that log; the next look may succeed.
    }
    await pause(everyMs, signal, { ref: false });
  }
}
