/** Owns: runs that another member has taken over: what is running of them here is ended, and that is recorded. */
import type { RunFence } from './servers/run-fence.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import type { Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const CHECK_MS = 5000;

export const OWNED_ELSEWHERE = 'another member of the fleet owns it now';

const TAKEN_AGAIN = 'this home goes on with it from its ledger when the fleet delivers it again';

/** Resolves when nothing of a task is running here any more. */
export async function endRuns({ host, member }: Work, { run }: RunFence, reason: string): Promise<void> {
  const stop = { kind: 'stop', reason } as const;
  // one that has ended cannot be stopped
  await Promise.all(member.owned.runsOf(run).map((each) => host.engine.stop(each, stop).catch(() => undefined)));
}

/**
 * G1. Ends what is running of it, and records that it goes on elsewhere, unless only the stream has forgotten it. Nobody
 * here may claim it again meanwhile.
 */
export async function recordLost(work: Work, fence: RunFence): Promise<void> {
  const { member, fenced, log } = work;
  await endRuns(work, fence, OWNED_ELSEWHERE);
  member.owned.remove(fence);
  if ((await fence.isForgotten()) || !(await isStreamOfBefore(member)))
    return log(`${fence.run}: the stream has lost messages of it; ${TAKEN_AGAIN}`);
  fenced.count += 1;
  await recordFenced(work, fence.run, fence.owner.epoch, (await fence.nextOwner())?.worker ?? null);
}

/** In a stream that was created again, nobody owns a run because of what is there now. */
const isStreamOfBefore = ({ checkStream }: FleetMember): Promise<boolean> =>
  checkStream().then(
    () => true,
    (error: unknown) => !(error instanceof OkaError) || error.code !== 'fleet-refused',
  );

/** Runs that another member owns by now: those that wait here, and those that were in progress when this worker ended. */
export async function findLost(work: Work): Promise<void> {
  const { host, member, signal, active } = work;
  const { projections } = host.valuesOf({ projections: ports.projections });
  await member.checkStream();
  for (const task of member.owned.tasks()) await member.owned.get(task)?.confirm();
  for (const [run, { epoch }] of Object.entries(projections.stateOf(fleetRuns).claimed)) {
    const last = active.has(run) ? null : await member.log.last(run);
    if (active.has(run)) continue; // it may have been claimed again meanwhile
    if (last !== null && last.message.worker !== member.name) await recordFenced(work, run, epoch, last.message.worker);
  }
  await pause(CHECK_MS, signal);
}

/** Here the run is over: its ledger stays as it is, and another one continues it. */
async function recordFenced({ host, member, log }: Work, run: string, epoch: number, by: string | null): Promise<void> {
  const reason = `${by ?? 'another member'} owns it now, and goes on with it`;
  log(`${run}: ${reason}`);
  const { taskGraph } = host.valuesOf({ taskGraph: ports.taskGraph });
  const open = taskGraph().goals.filter((goal) => goal.run === run || isPartOf(run, goal));
  await member.ownLedger.append([
    { type: 'run.fenced', run, data: { worker: member.name, epoch, by, reason } },
    ...open.map((goal): NewEvent => ({ type: 'run.ended', run: goal.run, data: { status: 'cancelled', reason } })),
  ]);
}

/** The names of runs inside a task begin with its name, and a dot. */
const isPartOf = (task: string, { run }: { run: string }): boolean => run.startsWith(`${task}.`);
