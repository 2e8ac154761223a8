/**
 * Owns: removing what is old: artifacts that nothing names, results in the outbox, versions of tools nothing leads to.
 *
 * Y1 An artifact stays if any event of any ledger names it, archived ones included, or a request that still waits does.
 * Y2 One that is young stays: whoever has just written it may be about to name it. Writing it again makes it young.
 * Y3 The result of a run that is not over stays; what is not a result is not ours to remove.
 * Y4 Links are never followed.
 * Y5 Memory is bounded, however many events and artifacts there are.
 */
import { lstatSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lookAt } from '../../ledger/disk.ts';
import { closeHistory, openHistory, sourcesBehind } from '../../ledger/history.ts';
import { errnoOf } from '../../schema/errors.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { Intake } from '../../schema/intake.ts';
import { ID_SHAPE } from '../../schema/names.ts';
import { pruneTools } from '../deps/prune-tools.ts';
import type { Home } from '../../schema/home.ts';

export type Tidied = { artifacts: number; outbox: string[]; tools: string[]; bytes: number };
export type Tidying = {
  home: Home;
  limits: Pick<Extract<Intake, { kind: 'tidy' }>, 'before' | 'outbox_mb'>;
  /** Whether a run has begun and not ended. */
  isUnderWay: (run: string) => boolean;
  isDry: boolean;
  signal: AbortSignal;
};

export async function tidy(tidying: Tidying): Promise<Tidied> {
  const removed = await tidyArtifacts(tidying);
  const results = tidyOutbox(tidying);
  const { tools, bytes } = await tidyTools(tidying);
  if (!tidying.isDry) sweepUnfinished(join(tidying.home.oka, 'intake'));
  return { outbox: results.outbox, tools, artifacts: removed.artifacts, bytes: removed.bytes + results.bytes + bytes };
}

const DAY_MS = 86_400_000;

/** Requests that somebody was killed while writing; they were written anew under another name. */
function sweepUnfinished(folder: string): void {
  for (const name of namesIn(folder).filter((each) => /\.json\.\d+\.tmp$/.test(each)))
    removeOld(join(folder, name), Date.now() - DAY_MS, false);
}

/** While something is being installed they stay for another time. */
async function tidyTools({ home, isDry, signal }: Tidying): Promise<Pick<Tidied, 'tools' | 'bytes'>> {
  const pruned = signal.aborted ? null : await pruneTools(home, { dryRun: isDry });
  if (pruned?.kind !== 'pruned') return { tools: [], bytes: 0 };
  return { tools: pruned.gone.map(({ path }) => path.slice(-300)), bytes: pruned.bytes };
}

/** What is recorded; nothing when nothing was removed. */
export function tidiedEvents(tidied: Tidied): NewEvent[] {
  return tidied.artifacts + tidied.outbox.length + tidied.tools.length === 0
    ? []
    : [{ type: 'storage.tidied', data: tidied }];
}

/** Y5. So many are looked for in one reading of the ledgers. */
const AT_ONCE = 100_000;

async function tidyArtifacts(tidying: Tidying): Promise<{ artifacts: number; bytes: number }> {
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
      const found = lookAt(join(folder, head, tail));
      if (found?.isFile() === true && found.mtimeMs < before) yield `${head}${tail}`;
    }
  }
}

/** Y2: looked at again in the same breath. Null when it stays. */
function removeOld(file: string, before: number, isDry: boolean): number | null {
  const found = lookAt(file);
  if (found?.isFile() !== true || found.mtimeMs >= before) return null;
  if (!isDry) unlinkSync(file);
  return found.size;
}

/** Y1. Without a ledger nobody knows what is named. */
async function strikeNamed(home: Home, unnamed: Set<string>, signal: AbortSignal): Promise<void> {
  if (lookAt(home.ledgers.run) === undefined) return unnamed.clear();
  for (const file of Object.values(home.ledgers)) await strikeNamedIn(file, unnamed, signal);
  const waiting = join(home.oka, 'intake');
  for (const name of namesIn(waiting))
    if (lookAt(join(waiting, name))?.isFile() === true) strike(readFileSync(join(waiting, name), 'latin1'), unnamed);
}

async function strikeNamedIn(ledgerFile: string, unnamed: Set<string>, signal: AbortSignal): Promise<void> {
  const history = openHistory(ledgerFile);
  if (history === null) return;
  try {
    for (const source of sourcesBehind(history, 0))
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

type Result = { name: string; at: number; bytes: number };

/** As many as an event can tell. */
const MOST_RESULTS = 10_000;

function tidyOutbox({ home, limits, isUnderWay, isDry }: Tidying): Pick<Tidied, 'outbox' | 'bytes'> {
  const removed: Pick<Tidied, 'outbox' | 'bytes'> = { outbox: [], bytes: 0 };
  if (limits.before.outbox === null && limits.outbox_mb === null) return removed;
  const outbox = join(home.workspace, 'outbox');
  const results = namesIn(outbox).flatMap((name) => resultIn(outbox, name));
  const before = limits.before.outbox === null ? 0 : Date.parse(limits.before.outbox);
  let size = results.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, at, bytes } of results.toSorted((a, b) => a.at - b.at)) {
    const isTooMuch = limits.outbox_mb !== null && size > limits.outbox_mb * 1024 * 1024;
    if ((at >= before && !isTooMuch) || isUnderWay(name) || removed.outbox.length >= MOST_RESULTS) continue;
    if (!isDry) rmSync(join(outbox, name), { recursive: true, force: true });
    removed.outbox.push(name);
    removed.bytes += bytes;
    size -= bytes;
  }
  return removed;
}

/** Y3. Its age is that of whatever in it was changed last. */
function resultIn(outbox: string, name: string): Result[] {
  const folder = join(outbox, name);
  const isResult = ID_SHAPE.test(name) && lookAt(join(folder, 'RESULT.md'))?.isFile() === true;
  return isResult && lookAt(folder)?.isDirectory() === true ? [{ name, ...measured(folder) }] : [];
}

function measured(path: string): Omit<Result, 'name'> {
  const found = lstatSync(path);
  if (!found.isDirectory()) return { at: found.mtimeMs, bytes: found.size };
  let { mtimeMs: at, size: bytes } = found;
  for (const name of namesIn(path)) {
    const inside = measured(join(path, name));
    at = Math.max(at, inside.at);
    bytes += inside.bytes;
  }
  return { at, bytes };
}

/** Y4: nothing in what is not a folder itself. */
function namesIn(folder: string): string[] {
  try {
    return lookAt(folder)?.isDirectory() === true ? readdirSync(folder) : [];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
