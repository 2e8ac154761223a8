/** Owns: one request of another process, from its file to whoever handles it (H2 in host.ts). */
import { removeRequest, type Taken } from '../../intake/read-requests.ts';
import { receivedIntakes } from '../../intake/received-requests.ts';
import { refusal, type Replies, type Reply } from '../../intake/request-replies.ts';
import { messageOf } from '../../schema/errors.ts';
import type { Intake } from '../../schema/intake.ts';
import type { Json } from '../../schema/json.ts';
import { type Handled, lateAnswer } from '../../schema/room.ts';
import type { LedgerPort, ProjectionsPort } from '../port-types.ts';

export type RequestPorts = {
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  handle: (intake: Intake) => Promise<Handled>;
  replies: Pick<Replies, 'send'>;
};

/** H2: recorded first, then the file goes, then it is handled; handling needs nothing but the ledger. */
export async function receiveRequest(
  folder: string,
  taken: Taken,
  { ledger, projections, handle, replies }: RequestPorts,
): Promise<void> {
  if (projections.stateOf(receivedIntakes).ids.includes(taken.id)) return removeRequest(folder, taken);
  if ('reason' in taken) {
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: taken.reason } });
    return removeRequest(folder, taken);
  }
  await ledger.append({ type: 'intake.received', data: { id: taken.id, intake: taken.intake } });
  removeRequest(folder, taken);
  try {
    replyTo(taken.id, lateAnswer(await handle(taken.intake)), replies);
  } catch (error) {
    replies.send(taken.id, refusal(error));
    await ledger.append({ type: 'intake.rejected', data: { name: taken.name, reason: messageOf(error) } });
  }
}

function replyTo(id: string, answer: Promise<Json>, replies: Pick<Replies, 'send'>): void {
  void answer.then((done): Reply => ({ done }), refusal).then((reply) => replies.send(id, reply));
}
