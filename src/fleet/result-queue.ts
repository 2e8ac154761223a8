/** Owns: results on their way to the home that submitted the task. A result is removed when that home has stored it. */
import { AckPolicy, type ConsumerInfo } from '@nats-io/jetstream';
import { ResultMessage } from '../schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { publisherOf, RESULTS, resultSubject, resultSubjects } from './fleet-subjects.ts';

export type ReturnedResult = { result: ResultMessage; finish: () => Promise<void> };

export type ResultQueue = {
  /** A member that got the run again, with another epoch, sends its result again: the first one did not count. */
  send(home: string, result: ResultMessage, epoch: number): Promise<void>;
  /** The next result for this home; null when there is none for a while. */
  take(home: string): Promise<ReturnedResult | null>;
};

const POLL_MS = 1000;
/** A result that cannot be read stays, for a newer version of oka at this home. */
const UNREADABLE_MS = 60_000;

export function resultQueue({ js, manager }: FleetConnection): ResultQueue {
  const known = new Map<string, ConsumerInfo>();
  const ensureConsumer = async (home: string): Promise<ConsumerInfo> => {
    const name = `home-${home.replaceAll('.', '=')}`;
    const info =
      known.get(name) ??
      (await manager.consumers.add(RESULTS, {
        durable_name: name,
        filter_subject: resultSubjects(home),
        ack_policy: AckPolicy.Explicit,
        max_deliver: -1,
      }));
    known.set(name, info);
    return info;
  };
  return {
    send: async (home, result, epoch) => {
      const { id, worker } = result;
      await js.publish(resultSubject(home, worker), JSON.stringify(result), { msgID: `${id}/${worker}/${epoch}` });
    },
    take: async (home) => {
      const consumer = js.consumers.getConsumerFromInfo(await ensureConsumer(home)); // without a request
      const message = await consumer.next({ expires: POLL_MS });
      if (message === null) return null;
      const result = ResultMessage.safeParse(message.json());
      if (!result.success) {
        message.nak(UNREADABLE_MS);
        return null;
      }
      return {
        result: { ...result.data, worker: publisherOf(message.subject) },
        finish: async () => {
          await message.ackAck();
        },
      };
    },
  };
}
