/** Owns: the subjects of runs in JetStream, as the fence sees them. Reads go to the leader of the stream. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { JetStreamApiError, PubHeaders, type StoredMsg } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { OkaError } from '../../../core/schema/errors.ts';
import { type FleetStream, RunMessage } from '../../../core/schema/fleet.ts';
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';
import { publisherOf, RUNS, runSubject, runSubjects } from './fleet-subjects.ts';
import type { Appended, RunLog } from './run-fence.ts';
import { type StoredMessage, UNREADABLE } from './run-owner.ts';
import { type Noticing, silently } from './storing-notice.ts';

const WRONG_LAST_SEQUENCE = 10071;
const PAUSE_MS = 200;
/** The hash of a message, and of the sequence after which it was appended. The servers store it with the message. */
const HASH_HEADER = 'Oka-Hash';

export function runLog({ js, manager }: FleetConnection, stream: FleetStream, notice: Noticing = silently): RunLog {
  const get = (query: { seq: number; next_by_subj: string } | { last_by_subj: string }): Promise<StoredMsg | null> =>
    manager.streams.getMessage(RUNS, query);
  return {
    stream,
    append: async (run, last, message): Promise<Appended> => {
      const expect = { lastSubjectSequence: last, lastSubjectSequenceSubject: runSubjects(run), streamName: RUNS };
      const subject = runSubject(run, message.worker);
      const body = JSON.stringify(message);
      const hashed = headers();
      hashed.set(HASH_HEADER, hashOf(last, body));
      try {
        const options = { expect, headers: hashed, timeout: ANSWER_MS };
        const { seq } = await notice(() => js.publish(subject, body, options));
        return { kind: 'appended', sequence: seq };
      } catch (error) {
        return toAnswer(error);
      }
    },
    last: async (run) => toStored(await get({ last_by_subj: runSubjects(run) }), stream),
    read: async (run) => {
      const found: StoredMessage[] = [];
      for (let next = 1; ; ) {
        const stored = toStored(await get({ seq: next, next_by_subj: runSubjects(run) }), stream);
        if (stored === null) return found;
        found.push(stored);
        next = stored.sequence + 1;
      }
    },
    next: async (worker, sequence) =>
      toStored(await get({ seq: sequence + 1, next_by_subj: runSubject('*', worker) }), stream),
    pause: () => sleep(PAUSE_MS),
  };
}

/** Everything but a refusal leaves open whether the message is there. A message that is too large never will be. */
export function toAnswer(error: unknown): Exclude<Appended, { kind: 'appended' }> {
  if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return { kind: 'refused' };
  if (error instanceof Error && error.message.includes('MAX_PAYLOAD'))
    throw new OkaError(
      'fleet-refused',
      'an event of a run, or a shared value, is larger than a message of the fleet may be',
      {
        fix: 'Raise `max_payload` in the configuration of the servers.',
        cause: error,
      },
    );
  return { kind: 'unknown' };
}

/**
 * The subject says who published it. What cannot be read, or is a claim for another stream, counts for its sequence, and
 * belongs to no claim.
 */
function toStored(stored: StoredMsg | null, { created }: FleetStream): StoredMessage | null {
  if (stored === null) return null;
  const worker = publisherOf(stored.subject);
  const { success, data } = RunMessage.safeParse(jsonOf(stored));
  const isHere = success && (data.kind !== 'claim' || data.stream.created === created);
  const message: RunMessage = isHere
    ? { ...data, worker }
    : { kind: 'returned', worker, process: UNREADABLE, epoch: 1 };
  return { sequence: stored.seq, at: stored.time.toISOString(), message, ...chainOf(stored) };
}

/** After which message it was appended, as the servers checked it then, and whether it is still the same. */
function chainOf({ header, data }: StoredMsg): Pick<StoredMessage, 'after' | 'isChanged'> {
  const after = header.get(PubHeaders.ExpectedLastSubjectSequenceHdr);
  const expected = header.get(HASH_HEADER);
  if (after === '') return {};
  return { after: Number(after), isChanged: expected !== '' && expected !== hashOf(after, data) };
}

const hashOf = (after: number | string, body: string | Uint8Array): string =>
  createHash('sha256').update(`${after}\n`).update(body).digest('hex');

function jsonOf(stored: StoredMsg): unknown {
  try {
    return stored.json();
  } catch {
    return null; // it is no message of oka
  }
}
