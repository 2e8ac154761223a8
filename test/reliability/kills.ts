/** What is killed, and how it comes back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveHome } from './live-home.ts';
import { killAll } from './processes.ts';
import type { Random } from './trial.ts';

/** How long a command is waited for that a kill is to hit. */
const COMMAND_MS = 8000;
export const KINDS = ['worker', 'worker and supervisor', 'launcher', 'worker, supervisor and launcher'] as const;
type Kind = (typeof KINDS)[number];

/** Most kills are to hit while a command runs, also shortly after a start. */
export async function untilCommandRuns(live: LiveHome, random: Random): Promise<void> {
  for (const end = Date.now() + COMMAND_MS; Date.now() < end && live.processes().launchers.length === 0; )
    await sleep(20);
  await sleep(random.between(0, 300));
}

/** Whether there was something to kill. */
export function hit(live: LiveHome, kind: Kind): boolean {
  const { supervisors, workers, launchers } = live.processes();
  switch (kind) {
    case 'worker':
      return killAll(workers) > 0;
    case 'worker and supervisor':
      return killAll([...supervisors, ...workers]) > 0;
    case 'launcher':
      return killAll(launchers) > 0;
    case 'worker, supervisor and launcher':
      return launchers.length > 0 && killAll([...supervisors, ...workers, ...launchers]) > 0;
  }
}

/** A supervisor pauses longer and longer before it starts a worker; nobody waits for that here. */
export async function restart(live: LiveHome, afterMs: number): Promise<void> {
  await sleep(afterMs);
  const { supervisors, workers } = live.processes();
  if (supervisors.length > 0 && workers.length > 0) return;
  killAll([...supervisors, ...workers]);
  await sleep(50);
  live.start();
}
