/**
 * Owns: checking the hash chain of a ledger in the browser, from its bytes alone: whoever looks at the page does not have
 * to believe the server. The rules are those of core/ledger/hash-chain.ts; a test compares the two.
 *
 * C1 A record is valid when its hash is that of its bytes before `,"hash"`, its number is one more than that of the
 *    record before, and its `prev` is the hash of that record.
 */

/** The end of the last valid record: its number, the offset of the next byte, and its hash. */
export type ChainPosition = { seq: number; offset: number; hash: string };
export type ChainFault = { seq: number; offset: number; reason: string; line: string };
/** `unfinished`: bytes of a last line that has no end yet. */
export type ChainResult = { position: ChainPosition; fault: ChainFault | null; unfinished: number };

export const CHAIN_START: ChainPosition = { seq: 0, offset: 0, hash: '0'.repeat(64) };

const END = /^(.*),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/s;
const SEQ = /^\{"seq":([1-9]\d{0,15}),/;
const TOGETHER = 256;

/** Checks the lines of a part of a ledger that begins where `from` ends. */
export async function checkPart(text: string, from: ChainPosition): Promise<ChainResult> {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  let position = from;
  for (let at = 0; at < lines.length; at += TOGETHER) {
    const some = lines.slice(at, at + TOGETHER);
    const digests = await Promise.all(some.map(digestOf));
    for (const [index, line] of some.entries()) {
      const { bytes, hash } = digests[index] ?? { bytes: 0, hash: null };
      const reason = problemOf(line, hash, position);
      if (reason !== null)
        return { position, fault: { seq: position.seq + 1, offset: position.offset, reason, line }, unfinished: 0 };
      position = { seq: position.seq + 1, offset: position.offset + bytes + 1, hash: hash ?? '' };
    }
  }
  return { position, fault: null, unfinished: rest.length };
}

function problemOf(line: string, hash: string | null, from: ChainPosition): string | null {
  const [, , prev, claimed] = END.exec(line) ?? [];
  if (claimed === undefined || hash !== claimed) return 'the record does not match its hash';
  const seq = SEQ.exec(line)?.[1];
  if (seq !== String(from.seq + 1)) return `the record has seq ${seq} instead`;
  return prev === from.hash ? null : 'the record does not follow the one before it';
}

/** The hash of all bytes of a record before `,"hash"`; null when it has no such part. */
async function digestOf(line: string): Promise<{ bytes: number; hash: string | null }> {
  const encoded = new TextEncoder().encode(line);
  const covered = encoded.length - HASH_PART;
  if (covered < 0) return { bytes: encoded.length, hash: null };
  const digest = await crypto.subtle.digest('SHA-256', encoded.subarray(0, covered));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { bytes: encoded.length, hash };
}

const HASH_PART = ',"hash":"'.length + 64 + '"}'.length;
