/**
 * Owns: whether this process may continue a run of the fleet, and what becomes of a request about one that it may not.
 *
 * A run that this home has claimed before a restart is claimed again when the fleet delivers it again. Until then requests
 * about it wait: without its fence, two members could continue it at once. If another member gets it, they are refused.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { ProjectionsPort } from '../ports/port-types.ts';
import type { FleetPort } from '../ports/fleet-port.ts';
import { fleetRuns } from './fleet-runs.ts';

type Member = { owned: Pick<FleetPort['owned'], 'isReady'>; relay: FleetPort['relay'] } | null;
/**
 * `unclaimed`: this home owned it last, and this process has not claimed it yet. `given`: a task of this home that
 * another member works on, or that is still in the queue; or a task of another home that may be answered here.
 */
type Ownership = 'home' | 'owned' | 'unclaimed' | 'given' | 'elsewhere';

export function ownershipOf(projections: ProjectionsPort, member: Member, run: string): Ownership {
  const { claimed, fenced } = projections.stateOf(fleetRuns);
  const isOf = isPartOf(run);
  const task = Object.keys(claimed).find(isOf);
  if (task === undefined)
    return givenTask(projections, run) === null ? (fenced.some(isOf) ? 'elsewhere' : 'home') : 'given';
  return member?.owned.isReady(task) === true ? 'owned' : 'unclaimed';
}

/** The task of a run that others work on and that may be asked about here. */
function givenTask(projections: ProjectionsPort, run: string): string | null {
  const { sent, asked } = projections.stateOf(fleetRuns);
  return [...sent, ...Object.keys(asked)].find(isPartOf(run)) ?? null;
}

const isPartOf =
  (run: string) =>
  (task: string): boolean =>
    run === task || run.startsWith(`${task}.`);

/** Without its fence a run could be executed by two members at once, so that not even an answer continues it. */
export function assertOwned(projections: ProjectionsPort, member: Member, run: string): void {
  const ownership = ownershipOf(projections, member, run);
  if (ownership === 'unclaimed')
    throw new OkaError('refused', `run ${run} belongs to the fleet, and this process has not claimed it`, {
      fix: member === null ? 'Start the worker with OKA_FLEET.' : 'Wait until the fleet gives it to a member.',
    });
  if (ownership === 'given')
    throw new OkaError('refused', `run ${run} was given to the fleet, and only its worker reaches who has it`, {
      fix: 'Start the worker with OKA_FLEET, and ask again.',
    });
  if (ownership === 'elsewhere')
    throw new OkaError('refused', `run ${run} continues at another member of the fleet`, {
      fix: 'See which member works on it, and ask there: oka fleet members',
    });
}

/** The goals without those that this process has to claim first. Whatever continues runs without being asked uses it. */
export function withoutUnclaimed(graph: TaskGraph, projections: ProjectionsPort, member: Member): TaskGraph {
  return { ...graph, goals: graph.goals.filter(({ run }) => ownershipOf(projections, member, run) !== 'unclaimed') };
}

/**
 * A request about a run that this member has yet to claim again waits for that. One about a task that was given away
 * waits for the reply of whoever works on it. What may be done there by now cannot be withdrawn here any more, so it is
 * taken before it is passed on; `take` returns false when it was withdrawn.
 */
export function mustAwaitFleet(
  projections: ProjectionsPort,
  member: Member,
  { id, intake, take }: { id: string; intake: Intake; take: () => boolean },
): boolean {
  const run = runOfRequest(intake);
  if (member === null || run === null) return false;
  const ownership = ownershipOf(projections, member, run);
  const task = ownership === 'given' ? givenTask(projections, run) : null;
  if (ownership === 'unclaimed' || (task !== null && !take())) return true;
  return member.relay.isPending(id, task, intake);
}

/** Whether a request was handled by whoever works on the task. What was refused there is refused here. */
export function wasHandledElsewhere(member: Member, intake: Intake): boolean {
  const reply = member?.relay.takeReply(intake) ?? null;
  if (reply === null) return false;
  if ('done' in reply) return true;
  const { message, fix } = reply.refused;
  throw new OkaError('refused', message, fix === undefined ? {} : { fix });
}

export function assertRequestOwned(projections: ProjectionsPort, member: Member, intake: Intake): void {
  const run = runOfRequest(intake);
  if (run !== null) assertOwned(projections, member, run);
}

/** The run that a request continues or stops, or a name inside it: the name of a wait begins with that of its run. */
export function runOfRequest(intake: Intake): string | null {
  const { kind } = intake;
  if (kind === 'answer') return intake.wait;
  return kind === 'cancel' || kind === 'pause' || kind === 'note' || kind === 'resume' ? intake.run : null;
}
