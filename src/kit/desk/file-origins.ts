/**
 * Owns: .oka/undo/origins.jsonl: which calls of runs made the files of the desk what they are. A task that finds such a file
 * below a public path can tell by it whether what is in it was private once (core/guard/file-labels.ts).
 *
 * R1 The origin belongs to a content at a path. Every call that leaves another content there is one more origin of it: those
 *    of what was there before stay, and those of a file that was moved go with it.
 * R2 It is lost by a person alone, who puts something else there. States that are removed from the store take nothing of what
 *    is there with them, also if no state has it, being too large or in another place; the origins of other contents that are in
 *    no state any more go, so that the file does not grow for ever.
 * R3 It is written before the state after the call is in the ledger.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeErrno, replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { FileOrigin } from '../../core/schema/tool.ts';
import type { FileChange } from './desk-changes.ts';

export type FileOrigins = {
  /** Records what a call has changed. */
  add(by: FileOrigin, changes: readonly FileChange[]): void;
  /** The calls that made the file what it is; none if it is a person's. `nameOf` gives the name of its content. */
  find(path: string, nameOf: () => Promise<string>): Promise<readonly FileOrigin[]>;
  /** Forgets contents that no state has any more, but for the last one of a path that is on the desk. Returns how many. */
  prune(isStored: (content: string) => boolean, desk: string): number;
};

/** What has more origins than this counts as nobody knows whose. */
const MOST = 8;
const UNKNOWN: FileOrigin = { run: '?', call: '?' };

/** By path, then by the name of the content. */
type Known = Map<string, Map<string, readonly FileOrigin[]>>;
type Line = { by: FileOrigin[]; files: Record<string, string> };

export function openFileOrigins(store: string): FileOrigins {
  const file = join(store, 'origins.jsonl');
  let loaded: Known | null = null;
  const known = (): Known => (loaded ??= load(file));
  return {
    add: (by, changes) => {
      const found = changes.filter(({ before, after }) => after !== null && before?.oid !== after.oid);
      if (found.length === 0) return;
      const moved = new Map(
        changes.flatMap(({ path, before }) => {
          const origins = before === null ? undefined : known().get(path)?.get(before.oid);
          return before === null || origins === undefined ? [] : [[before.oid, origins] as const];
        }),
      );
      const lines = new Map<string, Line>();
      for (const { path, before, after } of found) {
        const oid = after?.oid ?? '';
        const earlier = [before?.oid ?? '', oid].flatMap((name) => moved.get(name) ?? []);
        const origins = uniqueOrigins([...earlier, by]);
        const key = JSON.stringify(origins);
        const line = lines.get(key) ?? { by: origins, files: {} };
        line.files[path] = oid;
        lines.set(key, line);
      }
      append(file, [...lines.values()]);
      for (const line of lines.values()) include(known(), line);
    },
    find: async (path, nameOf) => {
      const there = known().get(path);
      return there === undefined ? [] : (there.get(await nameOf()) ?? []);
    },
    prune: (isStored, desk) => {
      let gone = 0;
      for (const [path, contents] of known()) {
        const last = existsSync(join(desk, path)) ? [...contents.keys()].at(-1) : undefined;
        for (const content of contents.keys())
          if (content !== last && !isStored(content)) gone += Number(contents.delete(content));
        if (contents.size === 0) known().delete(path);
      }
      if (gone > 0) replaceFile(file, linesOf(known()), { durable: true });
      return gone;
    },
  };
}

const linesOf = (known: Known): string =>
  [...known]
    .flatMap(([path, contents]) =>
      [...contents].map(([oid, by]) => `${JSON.stringify({ by, files: { [path]: oid } })}\n`),
    )
    .join('');

function uniqueOrigins(origins: readonly FileOrigin[]): FileOrigin[] {
  const unique = [...new Map(origins.map((each) => [each.call, each])).values()];
  return unique.length > MOST ? [UNKNOWN] : unique;
}

function include(known: Known, { by, files }: Line): void {
  for (const [path, oid] of Object.entries(files)) {
    const there = known.get(path) ?? new Map<string, readonly FileOrigin[]>();
    there.delete(oid); // the last one is what the path has now
    known.set(path, there.set(oid, by));
  }
}

function load(file: string): Known {
  const known: Known = new Map();
  for (const line of readLines(file))
    try {
      include(known, JSON.parse(line) as Line);
    } catch {
      continue; // half a line: the call that would have had it is not over, and is recorded again
    }
  return known;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw describeErrno(error, file);
  }
}

/** A line that a crash cut short is ended first, so that it takes no other one with it. */
function append(file: string, lines: readonly Line[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `\n${lines.map((line) => JSON.stringify(line)).join('\n')}`, { mode: 0o600 });
  } catch (error) {
    throw describeErrno(error, file);
  }
}
