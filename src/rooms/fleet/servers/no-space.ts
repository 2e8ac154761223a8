/** Owns: recognising that the servers refuse something because they have no space for it. */
import { JetStreamApiError } from '@nats-io/jetstream';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';

/** Of the account, of the server, its disk, and of a stream with a limit. */
const NO_SPACE: readonly number[] = [10002, 10023, 10047, 10077];

/** The same error, but for one that a person can do something about. */
export function explainNoSpace(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError && NO_SPACE.includes(error.code))) return error;
  return new OkaError('fleet-refused', `the message servers have no space for it (${messageOf(error)})`, {
    fix: 'Free space at the servers, or raise the limit of the stream. It is sent when there is space.',
    cause: error,
  });
}
