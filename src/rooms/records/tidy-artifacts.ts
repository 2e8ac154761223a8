/**
 * Owns: removing artifacts that nothing names any more.
 *
 * Y1 An artifact stays if any event of any ledger names it, archived ones included, or a pending request does.
 * Y2 A young one stays: whoever has just written it may be about to name it. Writing it again makes it young.
 * Y3 Links are never followed.
 * Y4 Memory is bounded, however many events and artifacts there are.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { closeHistory, openHistory, readLinesAfter } from '../../core/ledger/history.ts';
import { namesIn, removeOld } from '../../core/ledger/old-files.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Tidied, Tidying } from '../../core/schema/room.ts';

/** Y4. So many are searched for in one reading of the ledgers. */
const AT_ONCE = 100_000;

export async function tidyArtifacts(tidying: Tidying): Promise<Pick<Tidied, 'artifacts' | 'bytes'>> {
  const { home, limits, signal } = tidying;
  const removed = { artifacts: 0, bytes: 0 };
  if (limits.before.artifacts === null) return removed;
  const before = Date.parse(limits.before.artifacts);
  const unnamed = new Set<string>();
  for (const sha256 of oldArtifacts(join(home.oka, 'artifacts'), before)) {
    unnamed.add(sha256);
    if (unnamed.size >= AT_ONCE) await sweep();
  }
  await sweep();
  return removed;

  async function sweep(): Promise<void> {
    if (unnamed.size > 0) await strikeNamed(home, unnamed, signal);
    for (const sha256 of signal.aborted ? [] : unnamed) {
      const bytes = removeOld(artifactFile(home, sha256), before, tidying.isDry);
      removed.artifacts += bytes === null ? 0 : 1;
      removed.bytes += bytes ?? 0;
    }
    unnamed.clear();
  }
}

const artifactFile = ({ oka }: Home, sha256: string): string =>
  join(oka, 'artifacts', sha256.slice(0, 2), sha256.slice(2));

function* oldArtifacts(folder: string, before: number): Generator<string> {
  for (const head of namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(head)) continue;
    for (const tail of namesIn(join(folder, head))) {
      if (!/^[0-9a-f]{62}$/.test(tail)) continue;
      const found = lstatIfPresent(join(folder, head, tail));
      if (found?.isFile() === true && found.mtimeMs < before) yield `${head}${tail}`;
    }
  }
}

/** Y1. Without a ledger nobody knows what is named. */
async function strikeNamed(home: Home, unnamed: Set<string>, signal: AbortSignal): Promise<void> {
  if (lstatIfPresent(home.ledgers.run) === undefined) return unnamed.clear();
  for (const file of Object.values(home.ledgers)) await strikeNamedIn(file, unnamed, signal);
  const waiting = join(home.oka, 'intake');
  for (const name of namesIn(waiting))
    if (lstatIfPresent(join(waiting, name))?.isFile() === true)
      strike(readFileSync(join(waiting, name), 'latin1'), unnamed);
}

async function strikeNamedIn(ledgerFile: string, unnamed: Set<string>, signal: AbortSignal): Promise<void> {
  const history = openHistory(ledgerFile);
  if (history === null) return;
  try {
    for (const source of readLinesAfter(history, 0))
      for await (const lines of source) {
        if (signal.aborted || unnamed.size === 0) return;
        for (const { bytes } of lines) strike(bytes.toString('latin1'), unnamed);
      }
  } finally {
    closeHistory(history);
  }
}

const HASH = 64;

function strike(text: string, unnamed: Set<string>): void {
  for (const [hex] of text.matchAll(/[0-9a-f]{64,}/g))
    for (let at = 0; at + HASH <= hex.length; at += 1) unnamed.delete(hex.slice(at, at + HASH));
}
