/** What runs on this machine, read from /proc. Oka is not asked. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export type Running = { pid: number; started: string; argv: string[] };

export function runningProcesses(): Running[] {
  return readdirSync('/proc').flatMap((name) => {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : null;
    return found === null ? [] : [found];
  });
}

/** Null when it is gone, or only its end has not been read by its parent. */
function readProcess(pid: number): Running | null {
  const started = startOf(pid);
  if (started === null) return null;
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { pid, started, argv };
  } catch {
    return null;
  }
}

/** When the process began, which together with its number names it; null when it is over. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 'ZX'.includes(fields[0] ?? 'X') ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** The folder a process works in; empty when it is gone. */
export function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

export const isLauncher = ({ argv }: Running): boolean => basename(argv[0] ?? '').startsWith('oka-launch');

export function killAll(processes: readonly Running[], signal: NodeJS.Signals = 'SIGKILL'): number {
  let count = 0;
  for (const { pid, started } of processes)
    if (startOf(pid) === started)
      try {
        process.kill(pid, signal);
        count += 1;
      } catch {
        // It ended in between.
      }
  return count;
}
