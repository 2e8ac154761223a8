/**
 * Owns: which parts of an event may be sent to the replica.
 *
 * O1 Its place in the chain is always sent (pen, seq, prev, hash), and so are type, time, cause and run.
 * O2 A text that redaction would change is not sent, sealed or not: it was written before its secret was known, or
 *    without redaction.
 * O3 The reason for withholding a body reveals nothing of its content.
 */
import type { Redact } from '../../../core/schema/ports.ts';
import type { ReplicaOf, WireBody, WireEvent } from '../../../core/schema/replica-port.ts';
import type { LedgerRecord } from './ledger-record.ts';
import type { Seal } from './seal.ts';

type OutgoingPorts = {
  redact: Redact;
  /** Types whose bodies are not sent: call.ended, call.*, or * for all. */
  except: readonly string[];
  /** Null: bodies are sent unencrypted. */
  seal: Seal | null;
};
export type Outgoing = (record: LedgerRecord, of: ReplicaOf) => Promise<WireEvent>;

/** A Convex document may have 1 MiB; the rest is for its other fields. */
const MAX_BODY_BYTES = 900 * 1024;

export function prepareOutgoing({ redact, except, seal }: OutgoingPorts): Outgoing {
  const isExcepted = matchesAny(except);
  return async ({ data, ...place }, of) => {
    const runIsClean = place.run === null || redact(place.run) === place.run;
    const withheld = (why: string): WireEvent => ({
      ...place,
      run: runIsClean ? place.run : null,
      body: { kind: 'withheld', why },
    });
    if (!runIsClean || redact(data) !== data) return withheld('it contains something that redaction would remove');
    if (isExcepted(place.type)) return withheld('its type is left out by replica.except');
    const body: WireBody =
      seal === null
        ? { kind: 'plain', text: data }
        : { kind: 'sealed', text: await seal(data, { ...of, seq: place.seq, hash: place.hash }) };
    return Buffer.byteLength(body.text) > MAX_BODY_BYTES
      ? withheld(`it is larger than ${MAX_BODY_BYTES} bytes`)
      : { ...place, body };
  };
}

function matchesAny(except: readonly string[]): (type: string) => boolean {
  const whole = new Set(except.filter((each) => !each.endsWith('*')));
  const prefixes = except.filter((each) => each.endsWith('*')).map((each) => each.slice(0, -1));
  return (type) => whole.has(type) || prefixes.some((prefix) => type.startsWith(prefix));
}
