/** Owns: what of a home is backed up. Everything is, but what oka makes again from the ledgers, and what belongs to a process. */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

type FoundFile = { path: string; mode: number; at: number } & (
  | { kind: 'file'; size: number; stamp: string }
  | { kind: 'folder' }
  | { kind: 'link'; to: string }
  | { kind: 'left'; why: string }
);

/** Made again at the next start, or worthless without the process that made it. */
const MADE_AGAIN = [
  /^\.oka\/(?:.*\/)?locks$/,
  /^\.oka\/(?:index|cache|push|active_task_graph\.json)$/,
  /^\.oka\/web\/(?!hooks)/,
  /^\.oka\/maintenance\/books\.sqlite/,
  /^\.oka\/state\/(?:projections\.jsonl|runs|run-[^/]*|calls|typing|replies|desktop-[^/]*|backup\.json)$/,
  /^\.oka\/(?:.*\/)?[^/]*\.(?:lock|reserve|sock|tmp)$/,
  /^\.oka\/(?:DRAIN|FLEET_STOP)$/,
];

const DESK = /^workspace\/desk\//;

/** Everything in the order of its path, folders before what is in them. Ledgers are not among it: see `ledgerFiles`. */
export function* homeFiles(home: Home, { withDesk }: { withDesk: boolean }): Generator<FoundFile> {
  const ledgers = new Set(ledgerFiles(home).map(({ path }) => path));
  const isWanted = (path: string): boolean =>
    !ledgers.has(path) && !MADE_AGAIN.some((each) => each.test(path)) && (withDesk || !DESK.test(path));
  for (const top of ['.oka', 'INSTALL_REQUIREMENTS.md', 'workspace']) yield* filesBelow(home.dir, top, isWanted);
}

function* filesBelow(dir: string, path: string, isWanted: (path: string) => boolean): Generator<FoundFile> {
  if (!isWanted(path)) return;
  const found = lstatIfPresent(join(dir, path));
  if (found === undefined) return; // it went meanwhile
  const base = { path, mode: found.mode & 0o7777, at: found.mtimeMs };
  try {
    if (found.isSymbolicLink()) yield { ...base, kind: 'link', to: readlinkSync(join(dir, path)) };
    else if (found.isFile())
      yield {
        ...base,
        kind: 'file',
        size: found.size,
        stamp: [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' '),
      };
    else if (!found.isDirectory()) yield { ...base, kind: 'left', why: 'neither a file, a folder nor a link' };
    else {
      const names = readdirSync(join(dir, path)).toSorted();
      yield { ...base, kind: 'folder' };
      for (const name of names) yield* filesBelow(dir, `${path}/${name}`, isWanted);
    }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') yield { ...base, kind: 'left', why: messageOf(error) };
  }
}

/** Both ledgers: maintenance first, since it must not have read more of the run ledger than the backup has of it. */
export function ledgerFiles(home: Home): { pen: 'maintenance' | 'run'; path: string }[] {
  return (['maintenance', 'run'] as const).map((pen) => ({ pen, path: home.ledgers[pen].slice(home.dir.length + 1) }));
}
