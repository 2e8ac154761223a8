/** Owns: one request of another process, from its file to whoever handles it (H2 in host.ts). */
import { basename } from 'node:path';
import { removeRequest, type Taken } from '../requests/read-requests.ts';
import { submit } from '../requests/submit-request.ts';
import { receivedIntakes } from '../requests/received-requests.ts';
import { refusal, type Replies, type Reply, takenFile, takeRequest } from '../requests/request-replies.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { type Intake, withoutSealed } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import { answerOf, type Handled } from '../../core/schema/room.ts';
import type { LedgerPort, ProjectionsPort } from '../ports/port-types.ts';

export type RequestPorts = {
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  handle: (intake: Intake) => Promise<Handled>;
  /** Whether a request cannot be handled yet; its file stays. */
  mustAwaitFleet: (request: { id: string; intake: Intake; take: () => boolean }) => boolean;
  replies: Pick<Replies, 'send'>;
  /** The last request that this process has handled. */
  handled: { last: string | null };
};

/** Doing these twice is the same as doing them once. */
const REPEATABLE: ReadonlySet<Intake['kind']> = new Set([
  'answer',
  'cancel',
  'pause',
  'resume',
  'rerun',
  'undo',
  'mark_runs',
  'remember',
  'forget',
  'import',
  'archive',
  'resolve',
  'install',
  'remove',
  'tick',
  'procedure',
  'take_back',
  'save_graph',
  'run_graph',
  'run_task',
  'run_context',
  'record_scan',
  'put_frames',
  'restore_node',
  'compact_tree',
  'tidy',
]);
/** The room of conversations handles these from the ledger. */
const isRecovered = ({ kind }: Intake): boolean => kind.startsWith('chat_');

/**
 * H2: taken first, so that it cannot be withdrawn any more, then recorded, then it is handled, then the file goes. Requests are handled one after the other, so a file whose
 * request is the last recorded one was left by a process that ended while it handled it: it is handled again where that
 * is harmless, and rejected with the reason where it is not.
 */
export async function receiveRequest(
  folder: string,
  taken: Taken,
  { ledger, projections, handle, mustAwaitFleet, replies, handled }: RequestPorts,
): Promise<void> {
  const { ids, last } = projections.stateOf(receivedIntakes);
  const isKnown = ids.includes(taken.id);
  const isLeft = isKnown && taken.id === ids.at(-1) && handled.last !== taken.id && 'intake' in taken;
  if (isKnown && (!isLeft || isRecovered(taken.intake) || taken.intake.kind !== last))
    return removeRequest(folder, taken);
  if ('reason' in taken) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: taken.reason } });
    return removeRequest(folder, taken);
  }
  const isRefused = isLeft && !REPEATABLE.has(taken.intake.kind);
  const ours = { ...taken, name: basename(takenFile(folder, taken.id)) };
  let isOurs = false;
  const take = (): boolean => (isOurs ||= takeRequest(folder, taken));
  if (!isRefused && mustAwaitFleet({ id: taken.id, intake: taken.intake, take })) {
    if (isLeft) submitAgain(folder, isOurs ? ours : taken, taken.intake);
    return;
  }
  if (!take()) return; // it was withdrawn
  if (!isLeft)
    await ledger.append({ type: 'intake.received', data: { id: taken.id, intake: withoutSealed(taken.intake) } });
  handled.last = taken.id;
  try {
    if (isRefused) throw new OkaError('in-doubt', INTERRUPTED);
    replyTo(taken.id, answerOf(await handle(taken.intake)), replies);
  } catch (error) {
    replies.send(taken.id, refusal(error));
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: messageOf(error) } });
  }
  removeRequest(folder, ours);
}

/** Under another id: this one is recorded, and would count as handled as soon as another request is recorded. */
function submitAgain(folder: string, taken: Taken, intake: Intake): void {
  submit(folder, intake);
  removeRequest(folder, taken);
}

const INTERRUPTED =
  'oka ended while it handled this request, which may have been done; see, and repeat it if it was not';

function replyTo(id: string, answer: Promise<Json>, replies: Pick<Replies, 'send'>): void {
  void answer.then((done): Reply => ({ done }), refusal).then((reply) => replies.send(id, reply));
}
