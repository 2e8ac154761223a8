/**
 * Owns: how a run begins here once it is claimed: with its task, from this ledger, or from the stream.
 * Does not own: copying it from the stream (take-over.ts), the fence (rooms/fleet/servers/run-fence.ts).
 *
 * B1 This ledger continues a run only if it has all of it: nobody else has claimed it since this home did, and no crash has
 *    cut the copies short. Else the run begins here from the stream, and what this ledger had of it before does not count.
 */
import type { Claim } from './servers/run-fence.ts';
import type { RunHistory } from './servers/run-owner.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import type { Event } from '../../core/schema/event.ts';
import { endsAlone } from '../../core/schema/wait.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { acceptSent } from './accept-sent.ts';
import type { FleetMember } from './fleet-member.ts';
import { type ClaimedRun, fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import { pause } from '../../kit/pause.ts';
import { hasStarted, takeOver } from './take-over.ts';
import type { Active, Work } from './work-in-progress.ts';

export async function beginRun(work: Work, { taken: { task } }: Active, claim: Claim): Promise<void> {
  const { host, member, log, signal } = work;
  const { id } = task;
  const { history } = claim;
  const state = await host.engine.stateOf(id);
  const mine = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns).claimed[id];
  const isMine = mine !== undefined && isAllHere(mine, history, member.name);
  if (isMine && state !== null) await continueHere(member, id, claim, mine);
  else if (hasStarted(history, id)) {
    log(`taken over from ${history.owner?.worker ?? 'another member'}: ${id}`);
    const quiet = await takeOver(host, member, id, claim);
    if (quiet !== null) await pause(Math.max(0, quiet - Date.now()), signal);
  } else {
    await (isMine || state === null ? recordClaim(member, id, claim) : takeOver(host, member, id, claim));
    member.owned.markReady(id);
    return acceptSent(host, member, task);
  }
  member.owned.markReady(id);
  await resume(host, id);
}

/** B1. Epochs after the one that this ledger knows of were claimed by this home, which died before it recorded them. */
function isAllHere({ epoch, missing }: ClaimedRun, { claims }: RunHistory, member: string): boolean {
  return missing === 0 && claims.every((claim) => claim.epoch <= epoch || claim.worker === member);
}

/** What is on disk here and not in the stream, as after a crash, is published first. */
async function continueHere(member: FleetMember, id: string, claim: Claim, mine: ClaimedRun): Promise<void> {
  const published = claim.history.published.get(member.name) ?? 0;
  const tail = await readTail(member, id, Math.max(published, mine.seq + mine.copied) + 1);
  member.owned.add(claim.fence);
  member.owned.learn(claim.history.events as unknown as Event[]);
  member.owned.publish(tail);
  await appendClaim(member, id, claim);
  await member.owned.acknowledged(tail);
}

async function recordClaim(member: FleetMember, id: string, claim: Claim): Promise<void> {
  member.owned.add(claim.fence);
  await appendClaim(member, id, claim);
}

async function appendClaim({ ownLedger, log }: FleetMember, run: string, { fence, sequence }: Claim): Promise<void> {
  const { worker, epoch } = fence.owner;
  await ownLedger.append({ type: 'run.claimed', run, data: { worker, epoch, stream: log.stream, sequence } });
}

async function readTail({ ownLedger }: FleetMember, task: string, from: number): Promise<Event[]> {
  const tail: Event[] = [];
  for await (const { seq, type, run, at, pen, cause, v, data } of ownLedger.read({ from }))
    if (type !== 'run.claimed' && (run === task || run?.startsWith(`${task}.`) === true))
      tail.push({ seq, type, run, at, pen, cause, v, data } as Event);
  return tail;
}

/** Goes on with a run that waits for nobody, and with runs inside it whose need may be there by now. */
export async function resume({ engine, backend, valuesOf }: Host, run: string): Promise<void> {
  const reason = 'a member of the fleet goes on';
  const state = await engine.stateOf(run);
  if (state === null) return;
  const { deps } = valuesOf({ deps: ports.deps });
  const provided = deps.runsToResume().filter((each) => each === run || each.startsWith(`${run}.`));
  for (const each of provided) await backend.start({ kind: 'resume', run: each, reason });
  if (provided.includes(run) || (state.status !== 'running' && !isAwaitingItself(state))) return;
  await backend.start({ kind: 'resume', run, reason });
}

const isAwaitingItself = ({ status, waits }: RunState): boolean =>
  status === 'blocked' && [...waits.values()].some(({ for: awaited }) => endsAlone(awaited));
