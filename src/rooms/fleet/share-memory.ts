/**
 * Owns: sharing facts and procedures with the other members: publishing those of this home, and importing theirs.
 * Does not own: which ones, and what an import is: the rooms of facts and of procedures contribute that (`sharing`).
 *
 * 1. Each member has one value with all that it shares now. What is no longer in it is withdrawn, and importing the same
 *    value again changes nothing: a home that ends in between goes on from its ledger.
 * 2. A member that changes what it shares all the time is followed so often a day, and then not until the next day.
 */
import type { MemorySharing } from './servers/member-memory.ts';
import { stampOf } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { MOST_SHARED_BYTES, readShared } from '../../core/schema/fleet-memory.ts';
import type { Sharing, SharingOptions } from '../../core/schema/sharing.ts';
import { sharingRooms } from '../../kit/house/room-contributions.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const SHARE_MS = 10_000;
const DAY_MS = 86_400_000;
const MOST_CHANGES_A_DAY = 2000;

/** One round of it, and the pause behind it. */
export function memorySharing(work: Work): () => Promise<void> {
  const { memory } = work.member;
  const seen: Seen = { stamp: '', revision: -1, published: null, problem: null, changes: new Map() };
  return async () => {
    const problem = memory === null ? null : await syncOnce(work, memory, seen).then(() => null, messageOf);
    if (problem !== null && problem !== seen.problem)
      work.log(`fleet: facts and procedures are not shared: ${problem}`);
    seen.problem = problem;
    await pause(SHARE_MS, work.signal);
  };
}

type Seen = {
  /** The ledgers, as they were when the own facts were read. */
  stamp: string;
  revision: number;
  published: string | null;
  /** Why the last round failed; it is logged once. */
  problem: string | null;
  /** How many changes of each member were followed since a moment. */
  changes: Map<string, { since: number; count: number }>;
};

async function syncOnce({ host, member, log }: Work, { topics, open }: MemorySharing, seen: Seen): Promise<void> {
  const { home } = host;
  const bucket = await open();
  const stamp = `${stampOf(home.ledgers.run)} ${stampOf(home.ledgers.maintenance)}`;
  const revision = await bucket.revision();
  if (stamp === seen.stamp && revision === seen.revision) return;
  const others = revision === seen.revision ? null : await bucket.list();
  if (others !== null) seen.published = others.get(member.name) ?? null;
  const { redact } = host.valuesOf({ vault: ports.vault }).vault;
  const { tools } = host.valuesOf({ tools: ports.tools });
  const hasTool = (name: string): boolean => tools.get(name)?.internal === undefined && tools.get(name) !== undefined;
  const { withViews } = await import('../../kit/house/open-views.ts'); // which knows all rooms, this one too
  const sharings = await sharingRooms();
  await withViews(home, async (rows) => {
    const text = sharedText(sharings, rows, { topics, redact, now: Date.now() });
    if (text !== seen.published) await bucket.put(member.name, text);
    seen.published = text;
    if (others !== null) await importAll(rows, others);
  });
  Object.assign(seen, { stamp, revision });

  async function importAll(rows: Rows, shared: ReadonlyMap<string, string | null>): Promise<void> {
    for (const [name, text] of shared) {
      if (name === member.name) continue;
      const given = readShared(text);
      if (given === null) {
        log(`fleet: what ${name} shares cannot be read; its facts and procedures stay as they are`);
        continue;
      }
      const changes = sharings.flatMap((sharing) => sharing.follow(name, given, { rows, hasTool }));
      if (changes.length === 0) continue;
      if (isTooMuch(seen, name, changes.length))
        log(`fleet: ${name} changes what it shares too often; it is left alone`);
      else await member.ownLedger.append(changes);
    }
  }
}

/** The value of a member. Facts have what the others leave of its bytes. */
export function sharedText(sharings: readonly Sharing[], rows: Rows, options: Omit<SharingOptions, 'bytes'>): string {
  let left = MOST_SHARED_BYTES - 100;
  const parts = sharings
    .toSorted((a, b) => Number(a.kind === 'facts') - Number(b.kind === 'facts'))
    .map((sharing) => {
      const text = `"${sharing.kind}":[${sharing.own(rows, { ...options, bytes: left }).join(',')}]`;
      left -= Buffer.byteLength(text);
      return text;
    });
  return `{${parts.join(',')}}`;
}

function isTooMuch({ changes }: Seen, name: string, count: number): boolean {
  const now = performance.now();
  const before = changes.get(name);
  const counted = before === undefined || now - before.since > DAY_MS ? { since: now, count: 0 } : before;
  changes.set(name, counted);
  if (counted.count + count > MOST_CHANGES_A_DAY) return true;
  counted.count += count;
  return false;
}
