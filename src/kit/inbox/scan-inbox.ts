/** Owns: scanning the whole inbox, in bounded slices of time. The result replaces the previous one. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import {
  type Entry,
  type Limits,
  inspectEntry,
  type NameCheck,
  type Patience,
  type Observed,
  statsOf,
} from './delivery.ts';
import {
  type OpenFiles,
  filesOpenForWriting,
  filesWrittenUnseen,
  mayBeWrittenUnseen,
  writerOf,
} from './open-for-writing.ts';
import { listFiles } from './task-folder.ts';
import { newFolder, REJECTED, removeIfEmpty } from './inbox-folders.ts';

/** By path, whose bytes are decoded as Latin-1. */
type Observations = ReadonlyMap<string, Observed>;
type Scanned = { observed: Map<string, Observed>; problems: string[] };

const SLICE_MS = 10;
const REJECTED_NAME = Buffer.from(REJECTED);

export async function scan(
  inbox: string,
  before: Observations,
  now: number,
  rules: Limits & Patience & NameCheck,
): Promise<Scanned> {
  const observed = new Map<string, Observed>();
  const problems: string[] = [];
  const unseen: { key: string; file: string }[] = [];
  let open: OpenFiles | null = null;
  let until = performance.now() + SLICE_MS;
  for (const entry of entriesIn(inbox)) {
    const key = entry.path.toString('latin1');
    try {
      const prior = before.get(key);
      const found = inspectEntry(entry, prior, now, rules);
      const isNewlyReady = found !== prior && found?.state.kind === 'ready' && entry.by === 'inbox';
      if (isNewlyReady) open ??= await filesOpenForWriting(inbox);
      const by = isNewlyReady && open !== null ? writerOf(open, entry.path) : null;
      if (found !== null) observed.set(key, by === null ? found : { ...found, state: { kind: 'open', by } });
      if (isNewlyReady && by === null) unseen.push(...unseenFilesOf(entry, rules).map((file) => ({ key, file })));
    } catch (error) {
      problems.push(`${entry.path.toString()} cannot be inspected: ${messageOf(error)}`);
    }
    if (performance.now() < until) continue;
    await breathe();
    until = performance.now() + SLICE_MS;
  }
  const written = await filesWrittenUnseen(unseen.map(({ file }) => file));
  for (const { key, file } of unseen) {
    const found = observed.get(key);
    if (found !== undefined && written.has(file))
      observed.set(key, { ...found, state: { kind: 'open', by: 'a program that is not shown here' } });
  }
  return { observed, problems };
}

/** The files of an entry that somebody may write unseen; none where their names are not text. */
function unseenFilesOf({ path }: Entry, limits: Limits): string[] {
  const stats = statsOf(path);
  const shown = path.toString();
  if (stats === null || !mayBeWrittenUnseen(stats) || !Buffer.from(shown).equals(path)) return [];
  if (!stats.isDirectory()) return [shown];
  const { task, files } = listFiles(shown, limits);
  return [task, ...files].map((file) => join(shown, file));
}

function entriesIn(inbox: string): Entry[] {
  const names = namesIn(inbox).filter((name) => !name.equals(REJECTED_NAME));
  const dropped = names.map((name): Entry => ({ path: below(inbox, name), name, by: 'inbox' }));
  const added = namesIn(newFolder(inbox)).flatMap((name) => (name[0] === 0x2e ? [] : addedIn(inbox, name)));
  return [...added, ...dropped];
}

/** An entry of `oka add`: a folder with one file or folder in it. */
function addedIn(inbox: string, name: Buffer): Entry[] {
  const folder = below(newFolder(inbox), name);
  const names = namesIn(folder);
  if (names.length === 0) removeIfEmpty(folder);
  return names.map((each): Entry => ({ path: below(folder, each), name: each, by: 'add' }));
}

const below = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);

function namesIn(folder: string | Buffer): Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
