/**
 * Owns: the files in which projections are stored. One that other programs read has a file of its own; all others share
 * one, a line each behind the position that all of them include: saving them is one write and one rename, and a crash
 * leaves all of them as of the same record.
 */
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Projection } from '../schema/ports.ts';
import { lstatIfPresent, makeFolder, replaceFile } from './disk.ts';
import { type Position, START } from './line.ts';

export const SHARED_FILE = 'state/projections.jsonl';

/** What is stored of a projection, with the text files that were rendered from it. */
export type StoredProjection = { projection: Named; state: unknown; position: Position; rendered: Map<string, string> };

type Snapshot = Position & {
  projection: string;
  version: number;
  files?: readonly string[];
  sum: string;
  state: unknown;
};
type Named = Projection<unknown>;

export function loadProjections(folder: string, projections: readonly Named[]): StoredProjection[] {
  const shared = projections.some(isShared) ? linesOf(join(folder, SHARED_FILE)) : [];
  return projections.map((projection) => {
    const { name, file } = projection;
    const snapshot = file === undefined ? findSnapshot(shared, name) : parse(readIfRegular(join(folder, file)) ?? '');
    const rendered = new Map(renderedFilesOf(snapshot).map((each) => [each, readIfRegular(join(folder, each)) ?? '']));
    if (snapshot === null || !isTrustworthy(snapshot, projection))
      return { projection, state: projection.initial(), position: START, rendered };
    const { seq, offset, hash: last, state } = snapshot;
    return { projection, state, position: { seq, offset, hash: last }, rendered };
  });
}

/** Replaces the snapshots of projections that all include the record at `position`; `files` were rendered from one. */
export function storeProjections(
  folder: string,
  { seq, offset, hash: last }: Position,
  states: readonly { projection: Named; state: unknown; files: readonly string[] }[],
): void {
  const shared: string[] = [];
  for (const { projection, state, files } of states) {
    const { name, version, file } = projection;
    const text = serialize(state, projection);
    const about = { ...(files.length === 0 ? {} : { files }), sum: hash('sha256', text) };
    if (file === undefined)
      shared.push(`${JSON.stringify({ projection: name, version, ...about }).slice(0, -1)},"state":${text}}\n`);
    else {
      const head = JSON.stringify({ projection: name, version, seq, offset, hash: last, ...about }, null, 1);
      writeInFolder(folder, file, `${head.slice(0, -2)},\n "state": ${text}\n}\n`);
    }
  }
  if (shared.length === 0) return;
  if (lstatIfPresent(join(folder, SHARED_FILE)) === undefined) removeFormerFiles(folder, states);
  writeInFolder(folder, SHARED_FILE, `${JSON.stringify({ seq, offset, hash: last })}\n${shared.join('')}`);
}

/** Where projections were before they shared a file. */
function removeFormerFiles(folder: string, states: readonly { projection: Named }[]): void {
  for (const { projection } of states) rmSync(join(folder, 'state', `${projection.name}.json`), { force: true });
}

export function writeInFolder(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  makeFolder(dirname(path));
  replaceFile(path, text);
}

const isShared = ({ file }: Named): boolean => file === undefined;

/** A line of the shared file with the position of its first line; null when either is missing. */
function findSnapshot([position = '', ...lines]: readonly string[], name: string): Snapshot | null {
  const beginning = `{"projection":${JSON.stringify(name)},`;
  const found = parse(lines.find((line) => line.startsWith(beginning)) ?? '');
  return found === null ? null : { ...found, ...parse(position) };
}

/** Checks a snapshot as far as that is possible without the ledger (P1). */
function isTrustworthy(snapshot: Snapshot, projection: Named): boolean {
  return (
    snapshot.projection === projection.name &&
    snapshot.version === projection.version &&
    snapshot.seq > 0 &&
    snapshot.sum === hash('sha256', serialize(snapshot.state, projection))
  );
}

/** The other files that belong to a snapshot, even to one that is not trusted: they are replaced or removed with it. */
function renderedFilesOf(snapshot: Snapshot | null): string[] {
  const files: unknown = snapshot?.files;
  return Array.isArray(files)
    ? files.filter((file) => typeof file === 'string' && !file.split('/').includes('..'))
    : [];
}

/** A file of its own has line breaks, for people. */
function serialize(state: unknown, projection: Named): string {
  return JSON.stringify(state, null, isShared(projection) ? 0 : 1) ?? 'null';
}

function parse(text: string): Snapshot | null {
  try {
    return JSON.parse(text) as Snapshot | null;
  } catch {
    return null;
  }
}

const linesOf = (file: string): string[] => (readIfRegular(file) ?? '').split('\n');

function readIfRegular(file: string): string | null {
  return lstatIfPresent(file)?.isFile() ? readFileSync(file, 'utf8') : null;
}
