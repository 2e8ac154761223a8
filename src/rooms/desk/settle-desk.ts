/**
 * Owns: settling writing calls of which this process did not see the end (D2 in desk-turns.ts): they belong to a process that
 * was killed, or their outcome could not be recorded.
 *
 * S1 A command whose launcher runs is waited for by those who are to write where it writes; what a killed launcher left
 *    alive is ended.
 * S2 Only then is the state of the desk recorded as the one after the call, so that nothing of it is put down to others.
 *    It is recorded for every call, also for one that never began or changed nothing, so that none is open after the
 *    next crash and gets what others did meanwhile.
 * S3 Whoever settles is not affected by the run that it settles: if another member of a fleet owns that run by now, the
 *    state is recorded in this ledger, and that the fence refuses it concerns that run only.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isFenced, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { awaitLock, endLeftovers, markOf } from '../../kit/sandbox/desk-lock.ts';
import { readWitness } from '../../kit/sandbox/launch-witness.ts';
import { launcherPath } from '../../kit/sandbox/find-launcher.ts';
import { callsFolder, deskLockFile } from '../../kit/sandbox/sandbox.ts';
import { callLockFile, callLocks, dropCallLock } from '../../kit/sandbox/call-locks.ts';
import { doTouch, type Reach, reachOf } from '../../kit/desk/reach.ts';
import type { OpenDeskCall } from './open-desk-calls.ts';
import { pause } from '../../kit/pause.ts';

type SettlePorts = {
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

type DeskSettling = {
  /** For somebody who is to write there. */
  settle: (reach: Reach) => Promise<void>;
  /** Calls that this process is at work on: they are nobody else's to settle. */
  atWork: Set<string>;
  /** This process saw the call to its end, and recorded what it left. `isPlaced`: it could change a part of the desk only. */
  seen: (call: string, isPlaced: boolean) => void;
};

const POLL_MS = 1000;

export function deskSettling(ports: SettlePorts): DeskSettling {
  const { home, openCalls, recordAfter, recordUnbegun } = ports;
  const atWork = new Set<string>();
  const settling = new Map<string, Promise<void>>();
  let seen = new Set<string>();
  /** What runs of calls that the ledger knows nothing of, which happens once, before anybody writes. */
  let strays: Promise<void> | null = null;
  const markSeen = (call: string, isPlaced: boolean): void => {
    seen.add(call);
    if (isPlaced) dropCallLock(callsFolder(home), call);
  };
  const settleCall = async (call: OpenDeskCall): Promise<void> => {
    if (await ports.hasLauncher()) await awaitEnd(ports, [lockFileOf(home, call)], call.run);
    const record = (await isUnbegun(home, call)) ? recordUnbegun : recordAfter;
    await record(call).catch(ignoreFenced);
    markSeen(call.call, call.place !== undefined);
  };
  const once = (call: OpenDeskCall): Promise<void> => {
    const known = settling.get(call.call) ?? settleCall(call).finally(() => settling.delete(call.call));
    settling.set(call.call, known);
    return known;
  };
  return {
    atWork,
    seen: markSeen,
    async settle(reach) {
      const open = openCalls();
      seen = new Set(open.flatMap(({ call }) => (seen.has(call) ? [call] : [])));
      strays ??= awaitStrays(ports, open).catch((error: unknown) => {
        strays = null; // the next one tries again
        throw error;
      });
      await strays;
      const unseen = openCalls().filter(({ call }) => !seen.has(call) && !atWork.has(call));
      await Promise.all(unseen.filter((call) => doTouch(reachOf(call), reach)).map(once));
    },
  };
}

/** A command of the whole desk has the one lock of the desk, any other one a lock of its own. */
const lockFileOf = (home: Home, { call, place }: OpenDeskCall): string =>
  place === undefined ? deskLockFile(home) : callLockFile(callsFolder(home), call);

async function awaitStrays(ports: SettlePorts, open: readonly OpenDeskCall[]): Promise<void> {
  if (!(await ports.hasLauncher())) return;
  const known = new Set(open.map((call) => lockFileOf(ports.home, call)));
  const strays = [deskLockFile(ports.home), ...callLocks(callsFolder(ports.home))].filter((lock) => !known.has(lock));
  await awaitEnd(ports, strays, open[0]?.run ?? null);
  for (const lock of strays) if (lock !== deskLockFile(ports.home)) rmSync(lock, { force: true });
}

/** S3. The refusal comes after the disk. */
function ignoreFenced(error: unknown): void {
  if (!isFenced(error)) throw error;
}

/** S1. The time limit of a command is its launcher's, so that waiting ends. */
async function awaitEnd(
  { home, report, signal }: SettlePorts,
  locks: readonly string[],
  run: string | null,
): Promise<void> {
  for (const lock of locks)
    for (let waited = 0; await isTaken(lock); waited += 1) {
      if (waited === 0)
        report('a command that began before is still running: nothing else writes where it writes until it ends', run);
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
    await pause(POLL_MS, signal);
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
