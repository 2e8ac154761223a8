/**
 * Owns: reading all values of a bucket with one request. The client would create a consumer for it each time, which stays
 * for minutes, and servers have a limit of them.
 *
 * Any server answers, so a value may be a moment old.
 */
import type { StoredMsg } from '@nats-io/jetstream';
import { OkaError } from '../../../core/schema/errors.ts';
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';

type LatestValue = { key: string; text: string };

export async function latestValues({ manager }: FleetConnection, bucket: string): Promise<LatestValue[]> {
  const prefix = `$KV.${bucket}.`;
  const answers = await manager.direct.getLastMessagesFor(`KV_${bucket}`, { multi_last: [`${prefix}>`] });
  const late = setTimeout(() => answers.stop(tooLate(bucket)), ANSWER_MS);
  try {
    const messages: StoredMsg[] = await Array.fromAsync(answers);
    return messages
      .filter(({ header }) => !header.has('KV-Operation')) // a value that was removed
      .map((message) => ({ key: message.subject.slice(prefix.length), text: message.string() }));
  } finally {
    clearTimeout(late);
  }
}

const tooLate = (bucket: string): OkaError =>
  new OkaError('fleet-down', `the message servers did not send all values of ${bucket} in time`);
