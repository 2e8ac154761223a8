/**
 * Owns: verifying both ledgers in the background while a worker runs, so that damage in older records is found.
 *
 * B1 A pass begins within a minute of every start, so that damage before the last snapshot is not worked on top of for long;
 *    it takes at most six hours of running, and the pause to the next is twelve.
 * B2 It reads a megabyte at a time, four in a second, which takes about a thirtieth of a core, or more where the six hours
 *    need it; where it stopped is stored.
 * B3 Damage is recorded once (`ledger.damage_found`), open runs that could be affected are paused, and no new task begins
 *    until a person has unpaused: `oka status` and `oka doctor` report it until a pass finds the ledger intact again, and
 *    nothing is signed until then (home-anchors.ts).
 */
import { statSync, writeFileSync } from 'node:fs';
import { closeHistory, openHistory } from '../../core/ledger/history.ts';
import { START } from '../../core/ledger/line.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import { type FoundFault, verifyPass } from '../../core/ledger/verify-pass.ts';
import type { Pen } from '../../core/schema/event.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { pauseFile } from '../../kit/home/stop-files.ts';
import type { LedgerPort, Runs } from '../../kit/ports/port-types.ts';
import { readVerification, storeVerification, type Verification } from '../../kit/home/verification-state.ts';
import { pause } from '../../kit/pause.ts';

type VerificationPorts = {
  home: Home;
  ledger: Pick<LedgerPort, 'append' | 'end'>;
  taskGraph: () => TaskGraph;
  runs: Pick<Runs, 'stop'>;
};

type VerificationPace = { firstAfterMs: number; passMs: number; pauseMs: number; leastBytesPerSecond: number };

const HOUR = 3_600_000;
const USUAL: VerificationPace = {
  firstAfterMs: 10_000,
  passMs: 6 * HOUR,
  pauseMs: 12 * HOUR,
  leastBytesPerSecond: 4 * 1024 * 1024,
};

export function verifyInBackground(
  ports: VerificationPorts,
  pace: VerificationPace = USUAL,
): { end: () => Promise<void> } {
  const stop = new AbortController();
  const work = Promise.all(
    (['run', 'maintenance'] as const).map((pen) => verifyAgainAndAgain(ports, pen, pace, stop.signal)),
  );
  return {
    end: async () => {
      stop.abort();
      await work;
    },
  };
}

async function verifyAgainAndAgain(
  ports: VerificationPorts,
  pen: Pen,
  pace: VerificationPace,
  signal: AbortSignal,
): Promise<void> {
  await pause(pace.firstAfterMs, signal, { ref: false });
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const before = readVerification(ports.home, pen);
    const since = before.finished === null ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(before.finished);
    const isDue = isFirst || before.place.seq > 0 || since >= pace.pauseMs || since < 0;
    // A file that cannot be read now is tried again; whoever works with it reports why.
    if (isDue) await onePass(ports, pen, before, pace, signal).catch(() => undefined);
    await pause(isDue ? pace.pauseMs : pace.pauseMs - since, signal, { ref: false });
  }
}

async function onePass(
  ports: VerificationPorts,
  pen: Pen,
  before: Verification,
  { passMs, leastBytesPerSecond }: VerificationPace,
  signal: AbortSignal,
): Promise<void> {
  const { home } = ports;
  const to = pen === 'run' ? ports.ledger.end.offset : endOf(home.ledgers[pen]);
  const rate = Math.max(leastBytesPerSecond, (to / passMs) * 1000);
  let now = before;
  const fresh: FoundFault[] = [];
  const isWhole = await verifyPass(home.ledgers[pen], {
    from: before.place,
    to,
    signal,
    onPlace: (place) => void (now = { ...now, place }),
    onFault: (fault) => {
      now = { ...now, found: [...now.found, fault] };
      if (!before.faults.some(({ seq }) => seq === fault.seq)) fresh.push(fault);
    },
    pace: async (bytes) => {
      for (const fault of fresh.splice(0)) await reportFault(ports, pen, fault);
      now = { ...now, faults: merged(before.faults, now.found) };
      storeVerification(home, pen, now);
      await pause((bytes / rate) * 1000, signal, { ref: false });
    },
  });
  for (const fault of fresh.splice(0)) await reportFault(ports, pen, fault);
  const finished = new Date().toISOString();
  if (isWhole) now = { place: START, finished, upTo: now.place.seq, faults: now.found, found: [] };
  storeVerification(home, pen, now);
}

function merged(before: readonly FoundFault[], found: readonly FoundFault[]): FoundFault[] {
  return [...before, ...found.filter(({ seq }) => !before.some((known) => known.seq === seq))];
}

/** Runs that the damaged record may belong to are paused before anything else (B3). */
async function reportFault(
  { home, ledger, taskGraph, runs }: VerificationPorts,
  pen: Pen,
  fault: FoundFault,
): Promise<void> {
  const { seq, offset, run } = fault;
  const affected =
    pen === 'run'
      ? taskGraph()
          .goals.filter((goal) => isAffected(goal, seq, run))
          .map((goal) => goal.run)
      : [];
  const reason = `event ${seq} is damaged: ${fault.reason}`;
  if (pen === 'run') haltNewWork(home, reason);
  for (const id of affected) await runs.stop(id, { kind: 'pause', reason }).catch(() => undefined); // one that cannot be read cannot run
  await ledger.append({
    type: 'ledger.damage_found',
    data: { ledger: pen, seq, offset, reason: fault.reason, runs: affected },
  });
}

/** Nothing new is built on what is damaged; what a person has paused already stays as it is. */
function haltNewWork(home: Home, reason: string): void {
  try {
    writeFileSync(pauseFile(home), `${reason}\nRestore the ledger from a backup or replica, then: oka unpause\n`, {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error; // a disk that takes no file takes no task either
  }
}

function isAffected(goal: TaskGraph['goals'][number], seq: number, run: string | null): boolean {
  return goal.run === run || (goal.first <= seq && seq <= goal.last);
}

/** Another process appends to it: what is there now is verified, up to its last complete line. */
function endOf(file: string): number {
  const history = openHistory(file);
  if (history === null) return 0;
  closeHistory(history);
  return history.live.base + (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
}
