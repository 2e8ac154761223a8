/**
 * Owns: requests of the home of a task that this member works on: they go through its own intake, with the id that they
 * have there, and its home gets the reply. Other members may send answers, where this one allows it.
 *
 * Z1 Only the home that gave the task away is heard, and only about that task; for an answer also the members that
 *    OKA_FLEET_ANSWERS names here. Who sent it is what the servers say. What an answer is bound to is checked here, as
 *    for every answer.
 * Z2 A request waits while this member owns the run and is about to continue it, and is dropped when another one owns it:
 *    its home sends it there.
 */
import { join } from 'node:path';
import type { Delivery } from './servers/result-queue.ts';
import { awaitReply, refusal, repliesFolder, type Reply, wantReply } from '../../kit/requests/request-replies.ts';
import { submit } from '../../kit/requests/submit-request.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { FleetRequest } from '../../core/schema/fleet-requests.ts';
import { includesMember } from '../../core/schema/answer-rights.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { runOfRequest } from '../../kit/fleet/assert-owned.ts';
import type { FleetMember } from './fleet-member.ts';
import type { Work } from './work-in-progress.ts';

/** A pause that waits for the end of a command takes longer; its home is told that it was received. */
const REPLY_MS = 10_000;

export async function receiveRelayed(work: Work, delivery: Extract<Delivery, { kind: 'request' }>): Promise<void> {
  const { host, member, active } = work;
  const { from, request } = delivery;
  const { id, task } = request;
  if ((await member.log.last(task))?.message.worker !== member.name) return delivery.finish();
  const own = active.get(task);
  const hasBegun = member.owned.isReady(task) && (await host.engine.stateOf(task)) !== null;
  if (own === undefined || !hasBegun) return delivery.release();
  const problem = problemWith(member, request, { from, home: own.taken.task.home });
  const reply = problem === null ? await passOn(work, request, from) : refusal(problem);
  await member.results.reply(from, member.name, { kind: 'reply', id, reply });
  await delivery.finish();
}

/** Why a request is refused; null when it is not (Z1). */
export function problemWith(
  member: Pick<FleetMember, 'name' | 'answers'>,
  { task, intake }: FleetRequest,
  { from, home }: { from: string; home: string },
): OkaError | null {
  const about = runOfRequest(intake);
  const mayAsk = from === home || (intake.kind === 'answer' && includesMember(member.answers, from));
  if (!mayAsk || about === null || (about !== task && !about.startsWith(`${task}.`)))
    return new OkaError('refused', `${member.name} takes requests about ${task} from its home only`, {
      fix: `Ask at ${home}, the home of the task. OKA_FLEET_ANSWERS at ${member.name} says who else may answer.`,
    });
  if (intake.kind === 'answer' && member.answers === 'here')
    return new OkaError('refused', `${member.name} wants its questions to be answered there`, {
      fix: `Answer it at ${member.name}, where OKA_FLEET_ANSWERS=here is set.`,
    });
  return null;
}

/** A file that is there already has come before, and was not handled yet. */
async function passOn({ host: { home }, signal }: Work, { id, intake }: FleetRequest, from: string): Promise<Reply> {
  const folder = join(home.oka, 'intake');
  wantReply(repliesFolder(home.oka), id);
  if (lstatIfPresent(join(folder, `${id}.json`)) === undefined) submit(folder, withOrigin(intake, from), id);
  return (await awaitReply(repliesFolder(home.oka), id, REPLY_MS, signal)) ?? { done: null };
}

function withOrigin(intake: Intake, from: string): Intake {
  if (intake.kind !== 'answer') return intake;
  const by = `${intake.answer.by ?? 'somebody'} at ${from}`.slice(0, 200);
  return { ...intake, answer: { ...intake.answer, by } };
}
