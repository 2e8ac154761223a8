/**
 * Owns: where the anchors of a home are stored (next to the pen, and in the notes of this user outside the home), and
 * signing them with the key of the home.
 *
 * H1 The record that any copy names must be in the ledger, whoever signed it.
 * H2 Where the home has a key and no notes, the copy next to the pen must be signed by that key: whoever can write
 *    `.oka` but has no key cannot replace it.
 * H3 A copy of a home that came without an anchor is compared with what this user has noted about the same home
 *    elsewhere, as far as the key of the home has signed it.
 * H4 A new key is saved after the first anchor that it signed: a crash in between leaves no key without an anchor.
 * H5 Where this user has noted nothing, the replica is asked, if there is one (replica-anchor.ts).
 * H6 Nothing is signed on top of what is known to be damaged: the last anchor stays until a pass finds the ledger intact.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Anchor,
  type Claim,
  distrustError,
  isSignedBy,
  type LedgerAnchors,
  parseAnchor,
  type Rollback,
  rollbackOf,
  rollbackOfMissingFile,
  rolledBackError,
  signAnchor,
} from '../../core/ledger/anchor.ts';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { closeHistory, type History, openHistory } from '../../core/ledger/history.ts';
import { type Position, START } from '../../core/ledger/line.ts';
import { Projections } from '../../core/ledger/projections.ts';
import { lastPositionIn, lastSeqOf } from '../../core/ledger/seek.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Pen } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HomeIdentity, notesElsewhere, readIdentity, settleIdentity } from './home-identity.ts';
import { notesFile, penFile } from './home-notes.ts';
import { findHomeKey, type HomeKey, keyFile, makeHomeKey, printPublicKey, saveHomeKey } from './home-key.ts';
import { readVerification } from './verification-state.ts';

/**
 * The anchors of a ledger that is about to be written. `snapshot` is the last record that a projection includes;
 * `askElsewhere` is asked where this user has noted nothing (H5).
 */
export async function openAnchors(
  home: Home,
  pen: Pen,
  snapshot: Position | null,
  askElsewhere: () => Promise<Claim | null> = () => Promise.resolve(null),
): Promise<LedgerAnchors> {
  const identity = pen === 'run' ? await settleIdentity(home) : readIdentity(home);
  const copies = readCopies(home, pen, identity);
  const stored = readAnchors(home, pen, identity, snapshot, copies);
  const claim = copies.inNotes === null ? await askElsewhere() : null;
  if (claim !== null) stored.claims = [...stored.claims, claim];
  if (identity === null) return { ...stored, write: () => undefined };
  const current = stored.distrust === undefined ? currentHash(copies) : null;
  return { ...stored, write: writerOf(home, pen, identity, copies.key, current) };
}

/** Compares a ledger with its anchors; changes nothing. */
export type AnchorCheck =
  | { state: 'none' }
  | { state: 'matches'; seq: number; hash: string; at: string; signed: boolean }
  | { state: 'broken'; reason: string };

export function checkAnchors(home: Home, pen: Pen): AnchorCheck {
  const snapshot = pen === 'run' ? new Projections(home.oka, [taskGraph], { events: 1, ms: 1 }).position : null;
  const identity = readIdentity(home);
  const { claims, distrust } = readAnchors(home, pen, identity, snapshot); // before the ledger, which only grows
  const file = home.ledgers[pen];
  if (distrust !== undefined) return { state: 'broken', reason: distrustError(file, distrust).message };
  const rollback = findRollback(file, claims);
  if (rollback !== null) return { state: 'broken', reason: rolledBackError(file, rollback).message };
  const [latest] = claims.filter(({ at }) => at !== undefined).toSorted((a, b) => b.seq - a.seq);
  if (latest?.at === undefined) return { state: 'none' };
  const signed = identity !== null && findHomeKey(identity.id) !== null;
  return { state: 'matches', seq: latest.seq, hash: latest.hash, at: latest.at, signed };
}

function findRollback(file: string, claims: readonly Claim[]): Rollback | null {
  const history = openHistory(file);
  if (history === null) return rollbackOfMissingFile(claims);
  try {
    const end = lastPositionIn(history.live) ?? archivedEnd(history) ?? START;
    return rollbackOf(history, end, claims);
  } finally {
    closeHistory(history);
  }
}

/** The last record, when everything is in the archive; its hash is not compared. */
function archivedEnd({ segments }: History): Position | null {
  const last = segments.at(-1);
  return last === undefined ? null : { seq: last.last, offset: last.end, hash: START.hash };
}

/** What everybody may know about the identity of a home. */
export function publicIdentity(home: Home): { id: string; key: string | null } | undefined {
  const identity = readIdentity(home);
  if (identity === null) return undefined;
  const key = findHomeKey(identity.id);
  return { id: identity.id, key: key === null ? null : printPublicKey(key) };
}

type Copies = { inNotes: Anchor | null; besidePen: Anchor | null; key: HomeKey | null };

function readCopies(home: Home, pen: Pen, identity: HomeIdentity | null): Copies {
  return {
    inNotes: identity?.notes == null ? null : readAnchor(notesFile(identity.notes, pen)),
    besidePen: readAnchor(penFile(home, pen)),
    key: identity === null ? null : findHomeKey(identity.id),
  };
}

/** The hash of the record that both copies name; null if they differ, or the key of the home did not sign them. */
function currentHash({ inNotes, besidePen, key }: Copies): string | null {
  if (inNotes === null || inNotes.signature === null || key === null) return null;
  return JSON.stringify(inNotes) === JSON.stringify(besidePen) ? inNotes.hash : null;
}

type StoredAnchors = Omit<LedgerAnchors, 'write'>;

/** What is known about the last record of a ledger; changes nothing. */
function readAnchors(
  home: Home,
  pen: Pen,
  identity: HomeIdentity | null,
  snapshot: Position | null = null,
  { inNotes, besidePen, key }: Copies = readCopies(home, pen, identity),
): StoredAnchors {
  const claims: Claim[] = [];
  if (inNotes !== null) claims.push(claimOf(inNotes, notesFile(identity?.notes ?? '', pen)));
  if (besidePen !== null) claims.push(claimOf(besidePen, penFile(home, pen)));
  if (snapshot !== null) claims.push({ ...snapshot, source: 'the snapshot of the task graph' });
  if (identity === null || key === null) return { claims };
  if (inNotes === null && besidePen === null) {
    const original = claimElsewhere(home, pen, identity.id, key);
    if (original !== null) return { claims: [...claims, original] };
  }
  const distrust = reasonForDistrust(home, pen, identity.id, key, { inNotes, besidePen });
  return distrust === null ? { claims } : { claims, distrust };
}

function reasonForDistrust(
  home: Home,
  pen: Pen,
  id: string,
  key: HomeKey,
  { inNotes, besidePen }: { inNotes: Anchor | null; besidePen: Anchor | null },
): string | null {
  if (inNotes !== null)
    return inNotes.signature === null || isSignedBy(inNotes, key.verifying)
      ? null
      : `its anchor in the notes of this user is not signed by ${keyFile(id)}`;
  if (pen !== 'run') return null; // maintenance may have begun before there was a key
  if (besidePen === null)
    return lastSeqOf(home.ledgers[pen]) === 0 ? null : `its anchor ${penFile(home, pen)} is missing`;
  return isSignedBy(besidePen, key.verifying) ? null : `its anchor is not signed by ${keyFile(id)}`;
}

/** The latest record that was noted about this home in another place; one that the ledger contains goes first (H3). */
function claimElsewhere(home: Home, pen: Pen, id: string, { verifying }: HomeKey): Claim | null {
  const signed = notesElsewhere(home, id).flatMap((notes) => {
    const anchor = readAnchor(notesFile(notes, pen));
    return anchor !== null && isSignedBy(anchor, verifying) ? [claimOf(anchor, notesFile(notes, pen))] : [];
  });
  const latestFirst = signed.toSorted((a, b) => b.seq - a.seq);
  const isContained = (claim: Claim): boolean => findRollback(home.ledgers[pen], [claim]) === null;
  return latestFirst.find(isContained) ?? latestFirst[0] ?? null;
}

function claimOf({ seq, offset, hash, at }: Anchor, source: string): Claim {
  return { seq, offset, hash, at, source };
}

/** An anchor that is written already, as after an orderly end, is not written again. */
function writerOf(
  home: Home,
  pen: Pen,
  { id, notes }: HomeIdentity,
  present: HomeKey | null,
  current: string | null,
): LedgerAnchors['write'] {
  let key = present;
  let unsaved = key === null && pen === 'run' ? makeHomeKey() : null;
  return (head) => {
    if (head.hash === current || readVerification(home, pen).faults.length > 0) return;
    key ??= findHomeKey(id); // another process may have saved one since, while it had the pen
    if (key !== null) unsaved = null;
    const signing = (key ?? unsaved)?.signing ?? null;
    const anchor = signAnchor({ v: 1, home: id, pen, ...head, at: new Date().toISOString() }, signing);
    for (const file of [penFile(home, pen), ...(notes === null ? [] : [notesFile(notes, pen)])])
      attempt(() => {
        makeFolder(dirname(file), 0o700);
        replaceFile(file, `${JSON.stringify(anchor)}\n`, { mode: 0o600 });
      });
    const made = unsaved;
    if (made === null) return;
    unsaved = null;
    attempt(() => {
      saveHomeKey(id, made);
      key = made;
    });
  };
}

/** A copy that cannot be written leaves the one before it; `oka doctor` reports it. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // see above
  }
}

function readAnchor(file: string): Anchor | null {
  try {
    return parseAnchor(readFileSync(file, 'utf8'));
  } catch (error) {
    if (errnoOf(error) !== undefined) return null;
    throw error;
  }
}
