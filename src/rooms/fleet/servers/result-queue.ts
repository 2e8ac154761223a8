/**
 * Owns: messages for one home: results of its tasks, requests about tasks that it works on, and replies to its own. A
 * message is removed when that home has stored it.
 */
import { AckPolicy, type ConsumerInfo, type JsMsg } from '@nats-io/jetstream';
import { ResultMessage } from '../../../core/schema/fleet.ts';
import { FleetReply, FleetRequest } from '../../../core/schema/fleet-requests.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { publisherOf, RESULTS, resultSubject, resultSubjects } from './fleet-subjects.ts';

export type Delivery = {
  /** The member that sent it, according to its subject. */
  from: string;
  finish: () => Promise<void>;
  /** Gives it back; it comes again after a moment. */
  release: () => void;
} & (
  | { kind: 'result'; result: ResultMessage }
  | { kind: 'request'; request: FleetRequest }
  | { kind: 'reply'; reply: FleetReply }
);

export type ResultQueue = {
  /** A member that got the run again, with another epoch, sends its result again: the first one did not count. */
  send(home: string, result: ResultMessage, epoch: number): Promise<void>;
  /** Sent again with the same `turn`, it is stored once. */
  request(to: string, from: string, request: FleetRequest, turn: number): Promise<void>;
  reply(to: string, from: string, reply: FleetReply): Promise<void>;
  /** The next message for this home; null when there is none for a while. */
  take(home: string): Promise<Delivery | null>;
};

const POLL_MS = 1000;
const RELEASE_MS = 1000;
/** The servers may have lost the consumer, such as with damaged files; it is made again then. */
const ENSURE_EVERY_MS = 15_000;
/** A message that cannot be read stays, for a newer version of oka at this home. */
const UNREADABLE_MS = 60_000;

export function resultQueue({ js, manager }: FleetConnection): ResultQueue {
  const known = new Map<string, { info: ConsumerInfo; at: number }>();
  const ensureConsumer = async (home: string): Promise<ConsumerInfo> => {
    const name = `home-${home.replaceAll('.', '=')}`;
    const found = known.get(name);
    if (found !== undefined && performance.now() - found.at < ENSURE_EVERY_MS) return found.info;
    const info = await manager.consumers.add(RESULTS, {
      durable_name: name,
      filter_subject: resultSubjects(home),
      ack_policy: AckPolicy.Explicit,
      max_deliver: -1,
    });
    known.set(name, { info, at: performance.now() });
    return info;
  };
  const publish = async (to: string, from: string, message: object, msgID: string): Promise<void> => {
    await js.publish(resultSubject(to, from), JSON.stringify(message), { msgID });
  };
  return {
    send: (home, result, epoch) => publish(home, result.worker, result, `${result.id}/${result.worker}/${epoch}`),
    request: (to, from, request, turn) => publish(to, from, request, `request/${request.id}/${to}/${turn}`),
    reply: (to, from, reply) => publish(to, from, reply, `reply/${reply.id}/${from}`),
    take: async (home) => {
      const consumer = js.consumers.getConsumerFromInfo(await ensureConsumer(home)); // without a request
      const message = await consumer.next({ expires: POLL_MS });
      return message === null ? null : toDelivery(message);
    },
  };
}

function toDelivery(message: JsMsg): Delivery | null {
  const from = publisherOf(message.subject);
  const json: unknown = message.json();
  const common = {
    from,
    finish: async () => {
      await message.ackAck();
    },
    release: () => message.nak(RELEASE_MS),
  };
  const result = ResultMessage.safeParse(json);
  if (result.success) return { ...common, kind: 'result', result: { ...result.data, worker: from } };
  const request = FleetRequest.safeParse(json);
  if (request.success) return { ...common, kind: 'request', request: request.data };
  const reply = FleetReply.safeParse(json);
  if (reply.success) return { ...common, kind: 'reply', reply: reply.data };
  message.nak(UNREADABLE_MS);
  return null;
}
