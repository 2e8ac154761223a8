/**
 * Owns: having a run begun or continued, and following it until it is over or only a person can help it on: as if it were
 * the command's own, whoever drives it (C1 in carry-out.ts).
 */
import { foldRun } from '../../core/engine/fold-run.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import type { Goal } from '../../core/ledger/goal.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import { answerOf, startedRun, unchangedIn } from '../../core/schema/room.ts';
import { isStopped } from '../home/stop-files.ts';
import type { Host } from '../house/host.ts';
import { eventsOfRun, planOfRun, sinceStart } from '../runs/replay-runs.ts';
import { changes, type Known, knownNow } from '../views/changes.ts';
import { type AskingCall, askOrDo, watchPen } from './carry-out.ts';
import { pause } from '../pause.ts';
import { withHost } from './host-here.ts';

/** `unchanged`: what was asked for was so already. */
type SettledRun = { ended: RunState; events: readonly Event[]; unchanged?: string | null };

/** Null when nothing had to run. `named`: the name that the run will have, where the request says it. */
export async function carryOutRun(call: AskingCall, intake: Intake, named: string | null): Promise<SettledRun | null> {
  const known = knownNow(call.home.ledgers, ['run']);
  const here = async (): Promise<{ settled: SettledRun | null }> => ({
    settled: await settleHere(call, intake, named),
  });
  const answered = await askOrDo(call, intake, here);
  if (typeof answered === 'object' && 'settled' in answered) return answered.settled;
  const run = typeof answered === 'object' ? runIn(answered.done) : named; // in a fleet another member may do it
  return run === null ? null : followRunToEnd(call, run, known);
}

/** Also to the moment when everything is stopped: it goes on later. */
export async function followRunToEnd(call: AskingCall, run: string, known: Known): Promise<SettledRun | null> {
  const { home, signal, notify } = call;
  for (;;) {
    const hasSettled = await awaitSettled(home, run, known, signal);
    if (hasSettled || signal.aborted || isStopped(home)) return readRun(home, run);
    notify(`The worker has ended; this command goes on with ${run}.`);
    try {
      return await settleHere(call, { kind: 'resume', run }, run);
    } catch (error) {
      if (!(error instanceof OkaError) || !TRY_AGAIN.has(error.code)) throw error;
    }
  }
}

/** Another worker has begun, or the run was over when it was looked at again. */
const TRY_AGAIN: ReadonlySet<string> = new Set(['pen-held', 'run-is-over']);

export function settleHere(call: AskingCall, intake: Intake, named: string | null): Promise<SettledRun | null> {
  const { home, signal, rooms, notify } = call;
  const settle = async ({ handle, engine }: Host): Promise<SettledRun | null> => {
    const handled = await handle(intake);
    const answer = await answerOf(handled);
    const run = runIn(answer) ?? named;
    await startedRun(handled)?.done;
    await engine.whenIdle(); // what it has set going besides, such as the parent of a run that was answered
    const ended = run === null ? null : await engine.stateOf(run);
    return run === null || ended === null
      ? null
      : { ended, events: await engine.eventsOf(run), unchanged: unchangedIn(answer) };
  };
  return withHost(home, signal, settle, { rooms, warn: notify });
}

function runIn(answer: Json): string | null {
  const run = typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer['run'] : null;
  return typeof run === 'string' ? run : null;
}

/** A request that has changed nothing leaves no event; and where a child has ended, whoever waits for it goes on by then. */
const QUIET_MS = 2000;
const LOOK_MS = 100;

/** False when nobody drives it any more, or at the signal. `known` is where the ledger ended before it was asked for. */
async function awaitSettled(home: Home, run: string, known: Known, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController();
  const asked = penHolder(home.ledgers.run);
  const pen = asked === null ? (): 'free' => 'free' : watchPen(home, asked);
  let [lastEvent, lastLook] = [performance.now(), performance.now()];
  let isNew = false;
  const look = async (): Promise<void> => {
    const now = performance.now();
    if (isNew || now - lastLook > QUIET_MS) {
      [isNew, lastLook] = [false, now];
      if (await isSettledNow(home, run, now - lastEvent > QUIET_MS)) return stop.abort(SETTLED);
    }
    if (pen() === 'free' || isStopped(home)) stop.abort();
  };
  const looking = (async (): Promise<void> => {
    while (!stop.signal.aborted && !signal.aborted) {
      await look();
      await pause(LOOK_MS, AbortSignal.any([signal, stop.signal]));
    }
  })();
  for await (const event of changes(home.ledgers, known, { signal: AbortSignal.any([signal, stop.signal]) })) {
    if (event.run === null || !isOfFamily(run, event.run)) continue;
    lastEvent = performance.now();
    isNew = true;
  }
  await looking;
  return stop.signal.reason === SETTLED;
}

const SETTLED = 'settled';
const isOfFamily = (run: string, other: string): boolean => other === run || other.startsWith(`${run}.`.slice(0, 80));

/** Whether it is over, or neither it nor a run inside it has work that goes on without a person. */
async function isSettledNow(home: Home, run: string, isQuiet: boolean): Promise<boolean> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  if (state.ended.some((goal) => goal.run === run)) return true;
  const family = state.goals.filter((goal) => isOfFamily(run, goal.run));
  if (!family.some((goal) => goal.run === run)) return false;
  const isOpen = (id: string): boolean => state.goals.some((goal) => goal.run === id);
  const goesOn = ({ status, waits }: Goal): boolean =>
    status === 'running' ||
    (!isQuiet && waits.some(({ for: awaited }) => awaited.kind === 'child' && !isOpen(awaited.run)));
  return !family.some(goesOn);
}

/** Null when it has not begun, or another member of a fleet works on it. */
export async function readRun(home: Home, run: string): Promise<SettledRun | null> {
  const all = await eventsOfRun(home, run).catch((error: unknown) => {
    if (error instanceof OkaError && error.code === 'no-such-run') return [];
    throw error;
  });
  const events = all.some(({ type }) => type === 'run.started') ? sinceStart(all) : []; // a task that was given away
  const ended = events.length === 0 ? null : foldRun(await planOfRun(home, events), events);
  return ended === null ? null : { ended, events };
}
