/** Measuring in a fresh process: start-up and memory are not those of the bench itself. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ChildResult = { ms: number; rss_mb: number };

/** With the compile cache, as bin/oka starts. */
export function inChild(file: string, ...args: string[]): ChildResult {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  return JSON.parse(execFileSync(process.execPath, [path, ...args], { encoding: 'utf8', env })) as ChildResult;
}

/** Called in the child: times `work` and prints the result. */
export async function report(work: () => Promise<void>): Promise<void> {
  const before = performance.now();
  await work();
  const ms = performance.now() - before;
  process.stdout.write(JSON.stringify({ ms, rss_mb: largestMemory() }));
}

/** In MB. What `resourceUsage` says begins, on Linux, with the memory of the process that started this one. */
function largestMemory(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}
