/** The entries of one folder while it is walked: a code, an id and a stat for each. */
import type { Stats } from 'node:fs';
import type { NodeID } from '../../../core/schema/tree.ts';
import { skippedId } from './folder-id.ts';
import { IGNORED, reasonOfCode } from './scan-entry.ts';
import { type StatCache, STATS } from './stat-cache.ts';

export type Entries = { stats: Float64Array; codes: Uint8Array; ids: Buffer };

export const newEntries = (count: number): Entries => ({
  stats: new Float64Array(count * STATS),
  codes: new Uint8Array(count),
  ids: Buffer.alloc(count * 32),
});

/** The stat of such an entry is not stored, so that it is tried again. */
export function setSkipped(entries: Entries, index: number, own: number): void {
  entries.codes[index] = own;
  const reason = reasonOfCode(own);
  if (reason !== undefined) Buffer.from(skippedId(reason), 'hex').copy(entries.ids, index * 32);
  entries.stats.fill(own === IGNORED ? 0 : Number.NaN, index * STATS, (index + 1) * STATS);
  entries.stats[index * STATS] = 0;
}

export function setEntry(entries: Entries, index: number, own: number, id: NodeID, stats: Stats): void {
  entries.codes[index] = own;
  entries.ids.write(id, index * 32, 'hex');
  const at = index * STATS;
  entries.stats[at] = stats.size;
  entries.stats[at + 1] = stats.mtimeMs;
  entries.stats[at + 2] = stats.ctimeMs;
  entries.stats[at + 3] = stats.ino;
}

export function copyEntry(cache: StatCache, prior: number, entries: Entries, index: number): void {
  entries.codes[index] = cache.codes[prior] ?? 0;
  cache.ids.copy(entries.ids, index * 32, prior * 32, prior * 32 + 32);
  entries.stats.set(cache.stats.subarray(prior * STATS, (prior + 1) * STATS), index * STATS);
}
