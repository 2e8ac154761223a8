/**
 * Owns: the state of a page in .oka/maintenance/pages: generated texts, and what was seen of its files.
 * All of it may be lost; comparing is then less exact, but no line is lost.
 */
import { readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno, lstatIfPresent, makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import { errnoOf } from '../../../core/schema/errors.ts';
import { listNames, type PagePlace } from '../../../kit/learning/page-files.ts';
import { parseLines } from '../../../kit/learning/page-text.ts';

const MAX_TEXTS = 8;

const accountedFile = ({ state }: PagePlace, id: string): string => join(state, `${id}.was`);

/** What a replaced file contained when it was last accounted for; null when it never was. */
export const accountedBytes = (place: PagePlace, id: string): Buffer | null => readIfThere(accountedFile(place, id));

export function recordAccounted(place: PagePlace, id: string, bytes: Uint8Array): void {
  makeFolder(place.state);
  replaceFile(accountedFile(place, id), bytes);
}

export const removeAccounted = (place: PagePlace, id: string): void =>
  rmSync(accountedFile(place, id), { force: true });

/** Earlier generated texts, the newest last. */
export function storedTexts({ state }: PagePlace): string[] {
  return listStamped(state).flatMap((name) => readIfThere(join(state, name))?.toString('utf8') ?? []);
}

export function storeText({ state }: PagePlace, text: string, now: number): void {
  const { stamp } = parseLines(text);
  if (stamp === null) return;
  makeFolder(state);
  const file = join(state, `${stamp}.md`);
  if (readIfThere(file) === null) replaceFile(file, text);
  utimesSync(file, now / 1000, now / 1000);
  for (const old of listStamped(state).slice(0, -MAX_TEXTS)) rmSync(join(state, old), { force: true });
}

/** Removes every generated text but this one. */
export function removeOtherTexts({ state }: PagePlace, text: string): void {
  const current = `${parseLines(text).stamp}.md`;
  for (const name of listStamped(state)) if (name !== current) rmSync(join(state, name), { force: true });
}

const listStamped = (kept: string): string[] =>
  listNames(kept)
    .filter((name) => /^[0-9a-f]{12}\.md$/.test(name))
    .map((name) => ({ name, at: lstatIfPresent(join(kept, name))?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);

/** The signature of the page as it was left, and the checksums of contents that were reported as edits. */
type PageState = { signature: string | null; told: string[] };

export function readPageState({ state }: PagePlace): PageState {
  try {
    const seen = JSON.parse(readIfThere(join(state, 'seen'))?.toString('utf8') ?? 'null') as Partial<PageState> | null;
    return { signature: seen?.signature ?? null, told: seen?.told ?? [] };
  } catch {
    return { signature: null, told: [] }; // the state may be lost
  }
}

export function writePageState({ state }: PagePlace, seen: PageState): void {
  makeFolder(state);
  replaceFile(join(state, 'seen'), JSON.stringify(seen));
}

function readIfThere(file: string): Buffer | null {
  try {
    return lstatIfPresent(file)?.isFile() === true ? readFileSync(file) : null;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw describeErrno(error, file);
  }
}
