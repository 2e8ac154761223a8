/**
 * Owns: anchors. An anchor names the last durable record of a ledger and is stored apart from it, so that a ledger that
 * was emptied, cut, or replaced by an older or another one is detected.
 * Does not own: where anchors are stored and which key signs them (kit/home/home-anchors.ts).
 *
 * A1 An anchor is written only after the record that it names is durable: no crash and no power cut leaves a ledger
 *    behind its anchor.
 * A2 Nobody waits for an anchor, and one that could not be written only leaves the one before it.
 */
import { type KeyObject, sign, verify } from 'node:crypto';
import { OkaError } from '../schema/errors.ts';
import type { Pen } from '../schema/event.ts';
import type { History } from './history.ts';
import { type Position, START } from './line.ts';
import { positionEndingAt } from './seek.ts';

export type Anchor = {
  v: 1;
  /** The id of the home. */
  home: string;
  pen: Pen;
  seq: number;
  offset: number;
  hash: string;
  at: string;
  /** By the key of the home, over everything above; null where the home has no key. */
  signature: string | null;
};

/** A record that the ledger must contain, and who says so. */
export type Claim = Position & { source: string; at?: string };

/** The anchors of one ledger, as `openLedger` uses them. */
export type LedgerAnchors = {
  claims: readonly Claim[];
  /** Why what is noted about the ledger cannot be trusted. */
  distrust?: string;
  /** Stores the position of the last durable record; failures are the port's own to report. */
  write: (head: Position) => void;
};

/** What a ledger has lost, compared with a claim. */
export type Rollback = { claim: Claim; found: Position; missing: number };

export function signAnchor(body: Omit<Anchor, 'signature'>, key: KeyObject | null): Anchor {
  return { ...body, signature: key === null ? null : sign(null, signedBytes(body), key).toString('base64') };
}

export function isSignedBy(anchor: Anchor, publicKey: KeyObject): boolean {
  const { signature, ...body } = anchor;
  return signature !== null && verify(null, signedBytes(body), publicKey, Buffer.from(signature, 'base64'));
}

/** Null when the text is no anchor. */
export function parseAnchor(text: string): Anchor | null {
  try {
    const found = JSON.parse(text) as Partial<Anchor> | null;
    const isAnchor =
      found?.v === 1 &&
      Number.isSafeInteger(found.seq) &&
      Number.isSafeInteger(found.offset) &&
      [found.home, found.pen, found.hash, found.at].every((each) => typeof each === 'string') &&
      (found.signature === null || typeof found.signature === 'string');
    return isAnchor ? (found as Anchor) : null;
  } catch {
    return null;
  }
}

function signedBytes({ v, home, pen, seq, offset, hash, at }: Omit<Anchor, 'signature'>): Buffer {
  return Buffer.from(`oka anchor ${JSON.stringify({ v, home, pen, seq, offset, hash, at })}`);
}

/** The claim that misses the most, if the ledger does not contain all claimed records. */
export function rollbackOf(history: History, end: Position, claims: readonly Claim[]): Rollback | null {
  const broken = claims.filter((claim) => !isContained(history, end, claim));
  const [claim] = broken.toSorted((a, b) => b.seq - a.seq);
  return claim === undefined ? null : { claim, found: end, missing: Math.max(0, claim.seq - end.seq) };
}

/** A claim about a ledger without any file; see `rollbackOf`. */
export function rollbackOfMissingFile(claims: readonly Claim[]): Rollback | null {
  const [claim] = claims.filter(({ seq }) => seq > 0).toSorted((a, b) => b.seq - a.seq);
  return claim === undefined ? null : { claim, found: START, missing: claim.seq };
}

/** Records in the archive are compared by their place only; verifying the chain covers their content. The last one is known. */
function isContained({ segments, live }: History, end: Position, claim: Claim): boolean {
  if (claim.seq === 0) return true;
  if (claim.seq > end.seq) return false;
  if (claim.offset <= live.base)
    return segments.some(({ first, last, start, end: to }) => {
      const isInside = first <= claim.seq && claim.seq <= last && start < claim.offset && claim.offset <= to;
      return isInside && (claim.seq === last) === (claim.offset === to);
    });
  const found = claim.offset === end.offset ? end : positionEndingAt(live, claim.offset);
  return found !== null && found.seq === claim.seq && found.hash === claim.hash;
}

export function rolledBackError(file: string, { claim, found, missing }: Rollback): OkaError {
  const since = claim.at === undefined ? '' : ` on ${claim.at.slice(0, 16).replace('T', ' ')} UTC`;
  const recorded = `event ${claim.seq} was recorded${since} (${claim.source})`;
  const what =
    missing > 0
      ? `${file} ends at event ${found.seq}, but ${recorded}: ${missing} event${missing === 1 ? ' is' : 's are'} missing`
      : `${file} contains another history: ${recorded} and is not there any more`;
  return new OkaError('ledger-rolled-back', what, {
    fix: 'Nothing was changed. Restore the file from a backup or replica. To go on without the missing events: oka ledger accept-rollback',
  });
}

export function distrustError(file: string, reason: string): OkaError {
  return new OkaError('ledger-rolled-back', `${file} may have been replaced: ${reason}`, {
    fix: 'Nothing was changed. Check who can write the folder, and compare it with a backup or replica. To go on: oka ledger accept-rollback',
  });
}

export type AnchorWriter = {
  /** Remembers the last durable record; it is written soon. */
  note: (head: Position) => void;
  /** Writes what is not written yet. */
  flush: () => void;
};

const WRITE_EVERY_MS = 1000;

/** Writes anchors at most once a second (A2). */
export function anchorWriter(write: LedgerAnchors['write'], everyMs = WRITE_EVERY_MS): AnchorWriter {
  let pending: Position | null = null;
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (pending !== null) write(pending);
    pending = null;
  };
  return {
    note: (head) => {
      pending = head;
      timer ??= setTimeout(flush, everyMs).unref();
    },
    flush,
  };
}
