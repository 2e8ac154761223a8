/**
 * Owns: settling writing calls of which this process did not see the end (D2 in desk-turns.ts): they belong to a process that
 * was killed, or their outcome could not be recorded.
 *
 * S1 A command whose launcher runs is waited for; what a killed launcher left alive is ended.
 * S2 Only then is the state of the desk recorded as the one after the call, so that nothing of it is put down to others.
 *    It is recorded for every call, also for one that never began or changed nothing, so that none is open after the
 *    next crash and gets what others did meanwhile.
 * S3 Whoever settles is not affected by the run that it settles: if another member of a fleet owns that run by now, the
 *    state is recorded in this ledger, and that the fence refuses it concerns that run only.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFenced, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { awaitLock, endLeftovers, markOf } from '../../kit/sandbox/desk-lock.ts';
import { readWitness } from '../../kit/sandbox/launch-witness.ts';
import { launcherPath } from '../../kit/sandbox/find-launcher.ts';
import { callsFolder, deskLockFile } from '../../kit/sandbox/sandbox.ts';
import type { OpenDeskCall } from './open-desk-calls.ts';

export type SettlePorts = {
  home: Home;
  /** Calls that the ledger knows as begun and not as ended. */
  openCalls: () => readonly OpenDeskCall[];
  /** Records the state of the desk as the one after this call; waits for space. */
  recordAfter: (call: OpenDeskCall) => Promise<void>;
  /** Records that this call changed nothing, because it never began; waits for space. */
  recordUnbegun: (call: OpenDeskCall) => Promise<void>;
  /** Whether there is a launcher; without one nothing outlives this process under a lock. */
  hasLauncher: () => Promise<boolean>;
  report: (text: string, run: string | null) => void;
  signal: AbortSignal;
};

export type DeskSettling = {
  settle: () => Promise<void>;
  /** This process saw the call to its end, and recorded what it left. */
  seen: (call: string) => void;
};

const POLL_MS = 1000;

export function deskSettling(ports: SettlePorts): DeskSettling {
  const { openCalls, recordAfter, recordUnbegun } = ports;
  let seen = new Set<string>();
  let isFirst = true;
  return {
    seen: (call) => void seen.add(call),
    async settle() {
      const open = openCalls();
      seen = new Set(open.flatMap(({ call }) => (seen.has(call) ? [call] : [])));
      const unseen = open.filter(({ call }) => !seen.has(call));
      if (!isFirst && unseen.length === 0) return;
      if (await ports.hasLauncher()) await clearDesk(ports, unseen[0]?.run ?? null);
      for (const call of unseen) {
        const record = (await isUnbegun(ports.home, call)) ? recordUnbegun : recordAfter;
        await record(call).catch(ignoreFenced);
        seen.add(call.call);
      }
      isFirst = false;
    },
  };
}

/** S3. The refusal comes after the disk. */
function ignoreFenced(error: unknown): void {
  if (!isFenced(error)) throw error;
}

/** S1. The time limit of a command is its launcher's, so that waiting ends. */
async function clearDesk({ home, report, signal }: SettlePorts, run: string | null): Promise<void> {
  for (let waited = 0; await isTaken(deskLockFile(home)); waited += 1) {
    if (waited === 0)
      report('a command that began before is still running: nothing else writes to the desk until it ends', run);
    if (signal.aborted) throw new OkaError('refused', 'stopped while a command that began before was still running');
  }
  const mark = markOf(join(home.workspace, 'desk'));
  for (let tries = 0; ; tries += 1) {
    const ended = await endLeftovers(launcherPath(), mark);
    if (ended !== null && ended > 0) report(`ended ${ended} processes that a killed launcher had left running`, run);
    if (ended !== null) return;
    if (tries === 0)
      report(
        'processes of a command that was killed cannot be ended: nothing writes to the desk until they are gone',
        run,
      );
    if (signal.aborted) throw new OkaError('refused', 'stopped while processes of a killed command could not be ended');
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function isTaken(lock: string): Promise<boolean> {
  const state = await awaitLock(launcherPath(), lock, POLL_MS);
  if (state !== 'unknown') return state === 'taken';
  throw new OkaError(
    'unsafe-file',
    `${lock} cannot be locked, so that nobody knows whether a command is still running`,
    {
      fix: 'Make it readable and writable for the user who runs oka, or remove it when no command is running.',
    },
  );
}

async function isUnbegun(home: Home, { call, ground }: OpenDeskCall): Promise<boolean> {
  const seen = await readWitness(callsFolder(home), call, {
    launcher: launcherPath(),
    patienceMs: 0,
    environment: ground,
  });
  return seen !== null && seen !== 'running' && seen.ended.how === 'not-begun';
}
