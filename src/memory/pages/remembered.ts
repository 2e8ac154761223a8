/**
 * Owns: what is remembered of a page in .oka/maintenance/pages: texts of ours, and what was seen of files.
 * All of it may be lost: then a little more is asked of the comparison, and no line is.
 */
import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { explained, lookAt, makeFolder, replaceFile } from '../../ledger/disk.ts';
import { errnoOf } from '../../schema/errors.ts';
import { namesIn, type Place } from './page-files.ts';
import { linesIn } from './text.ts';

const MOST_TEXTS = 8;

const wasFile = ({ kept }: Place, id: string): string => join(kept, `${id}.was`);

/** What a replaced file said when it was last accounted for; null when it never was. */
export const wasOf = (place: Place, id: string): Buffer | null => remembered(wasFile(place, id));

export function accountFor(place: Place, id: string, bytes: Uint8Array): void {
  makeFolder(place.kept);
  replaceFile(wasFile(place, id), bytes);
}

export const forgetWas = (place: Place, id: string): void => rmSync(wasFile(place, id), { force: true });

/** Texts of ours that stood there before, the newest last. */
export function textsOf({ kept }: Place): string[] {
  return stampedIn(kept).flatMap((name) => remembered(join(kept, name))?.toString('utf8') ?? []);
}

export function keepText({ kept }: Place, text: string, now: number): void {
  const { stamp } = linesIn(text);
  if (stamp === null) return;
  makeFolder(kept);
  const file = join(kept, `${stamp}.md`);
  if (remembered(file) === null) replaceFile(file, text);
  utimesSync(file, now / 1000, now / 1000);
  for (const old of stampedIn(kept).slice(0, -MOST_TEXTS)) rmSync(join(kept, old), { force: true });
}

const stampedIn = (kept: string): string[] =>
  namesIn(kept)
    .filter((name) => /^[0-9a-f]{12}\.md$/.test(name))
    .map((name) => ({ name, at: lookAt(join(kept, name))?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);

/** What was seen: the page as it was left, and contents that were told as edits. */
export type SeenBefore = { signature: string | null; told: string[] };

export function seenOf({ kept }: Place): SeenBefore {
  try {
    const seen = JSON.parse(remembered(join(kept, 'seen'))?.toString('utf8') ?? 'null') as Partial<SeenBefore> | null;
    return { signature: seen?.signature ?? null, told: seen?.told ?? [] };
  } catch {
    return { signature: null, told: [] }; // it may be lost
  }
}

export function noteSeen({ kept }: Place, seen: SeenBefore): void {
  makeFolder(kept);
  replaceFile(join(kept, 'seen'), JSON.stringify(seen));
}

function remembered(file: string): Buffer | null {
  try {
    return lookAt(file)?.isFile() === true ? readFileSync(file) : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw explained(error, file);
  }
}
