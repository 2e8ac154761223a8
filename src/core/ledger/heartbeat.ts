/**
 * Owns: the heartbeat of a process that owns a pen: a small file next to its lock, rewritten while its event loop turns,
 * so that any other process can detect that it is frozen or blocked.
 * Times are those of the machine (machine-time.ts).
 */
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { bootId, monotonicMs } from './machine-time.ts';
import type { Holder, PenLock } from './pen.ts';

/** Without a heartbeat for longer than this, a process does not respond. */
export const SILENT_MS = 10_000;

const EVERY_MS = 2000;

type Heartbeat = { pid: number; boot: string; ms: number };

/** Sends heartbeats until the pen is released; a quiet process sends them itself, once it can work. */
export function withHeartbeat(pen: PenLock, ledgerFile: string, isQuiet = false): PenLock {
  if (isQuiet) rmSync(heartbeatFile(ledgerFile), { force: true }); // of a process that was killed: in a container ids repeat
  const end = isQuiet ? () => undefined : sendHeartbeats(ledgerFile);
  return {
    ...pen,
    release: () => {
      end();
      pen.release();
    },
  };
}

/** Only for whoever owns the pen. Returns what ends it. */
export function sendHeartbeats(ledgerFile: string): () => void {
  const file = heartbeatFile(ledgerFile);
  const boot = bootId();
  const send = (): void => writeHeartbeat(file, { pid: process.pid, boot, ms: monotonicMs() });
  const timer = setInterval(send, EVERY_MS).unref();
  send();
  return () => {
    clearInterval(timer);
    rmSync(file, { force: true });
  };
}

/**
 * How long ago the process that owns the pen sent its last heartbeat; null when it has sent none. Of a process on another
 * machine only that it has sent one is known: its clock cannot be compared.
 */
export function heartbeatAge(ledgerFile: string, { pid, host }: Holder): number | null {
  try {
    const beat = JSON.parse(readFileSync(heartbeatFile(ledgerFile), 'utf8')) as Heartbeat;
    if (beat.pid !== pid) return null;
    if (beat.boot === bootId()) return Math.max(0, monotonicMs() - beat.ms);
    return host === hostname() ? null : 0; // what an earlier boot left, or another machine's
  } catch {
    return null; // it is not there, or was read while it was written
  }
}

/** Overwrites the file in place: the next heartbeat replaces one that is torn, and a full disk has space for it. */
function writeHeartbeat(file: string, beat: Heartbeat): void {
  try {
    const fd = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
    try {
      writeSync(fd, `${JSON.stringify(beat).padEnd(120)}\n`, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // A disk that cannot be written is reported by whoever writes what matters.
  }
}

function heartbeatFile(ledgerFile: string): string {
  return join(dirname(ledgerFile), 'locks', `${basename(ledgerFile, '.jsonl')}.heartbeat.json`);
}
