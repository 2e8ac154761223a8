/** How much memory a real worker has after answering questions about a home that is full of memories. Linux only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { retrieveFromWorker } from '../../src/rooms/memory/recall-socket.ts';
import { supervisedEnvironment } from '../../src/kit/settings.ts';
import { NODE_FLAGS } from '../../src/kit/house/supervise.ts';
import type { Home } from '../../src/core/schema/home.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/oka', import.meta.url));
const BUDGET = 2000;
/** The table of vectors is in a process of its own, which has ended by then. */
const QUIET_MS = 30_000;

/** In MB, resident. The first two workers read the whole history; measured is the next one. */
export async function workerMemory(home: Home, queries: readonly string[]): Promise<number> {
  for (let warmUps = 0; warmUps < 2; warmUps += 1) await askWorker(home, queries.slice(0, 1), () => sleep(QUIET_MS, 0));
  return askWorker(home, queries, async (pid) => {
    const asked = residentOf(pid);
    await sleep(QUIET_MS);
    return Math.max(asked, residentOf(pid));
  });
}

async function askWorker(
  home: Home,
  queries: readonly string[],
  measure: (pid: number | undefined) => Promise<number>,
): Promise<number> {
  const args = [...NODE_FLAGS, PROGRAM, 'worker', '--dir', home.dir];
  const worker = spawn(process.execPath, args, { stdio: 'ignore', env: supervisedEnvironment() });
  const ended = once(worker, 'exit');
  try {
    for (const query of queries) while (!(await hasAnswered(home, query)) && worker.exitCode === null) await sleep(200);
    return await measure(worker.pid);
  } finally {
    worker.kill();
    await ended;
  }
}

async function hasAnswered(home: Home, query: string): Promise<boolean> {
  const found = await retrieveFromWorker(home, { asked: { query, limit: 20 }, budget: BUDGET, isCounted: false });
  return found !== null;
}

function residentOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}
