/**
 * Owns: refusing a home whose rules, requests or approvals any user of the machine could write: whoever writes them
 * decides what oka does.
 */
import { type Stats, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent, writeNewFile } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';

const FOLDERS = ['.oka', '.oka/rules', '.oka/intake', '.oka/approvals'];
const OTHERS_WRITE = 0o002;

export function assertNoOtherWriters(home: Home): void {
  const open = pathsOpenToOthers(home);
  if (open.length === 0) return;
  throw new OkaError('not-permitted', describeOpen(open), { fix: fixFor(open) });
}

export function otherWritersFinding(home: Home): Finding {
  const what = 'access';
  const open = pathsOpenToOthers(home);
  if (open.length === 0) return { state: 'good', what, found: 'no other user can change the rules' };
  return { state: 'bad', what, found: describeOpen(open), fix: fixFor(open) };
}

function pathsOpenToOthers(home: Home): string[] {
  const rules = join(home.oka, 'rules');
  const files = isFolder(rules) ? readdirSync(rules).map((name) => join(rules, name)) : [];
  const paths = [...FOLDERS.map((folder) => join(home.dir, folder)), ...files];
  const open = paths.filter((path) => isOpenToOthers(lstatIfPresent(path)));
  return open.length > 0 && hasPermissions(home) ? open : [];
}

const isFolder = (path: string): boolean => lstatIfPresent(path)?.isDirectory() === true;

function isOpenToOthers(found: Stats | undefined): boolean {
  return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS_WRITE) !== 0;
}

/** Some mounts (of Docker Desktop, of Windows disks) show every file as open to all, and cannot store anything else. */
function hasPermissions({ oka }: Home): boolean {
  const probe = join(oka, `.access-${process.pid}`);
  try {
    writeNewFile(probe, '', { mode: 0o600 });
    return !isOpenToOthers(lstatIfPresent(probe));
  } catch {
    return true;
  } finally {
    rmSync(probe, { force: true });
  }
}

function describeOpen([first = '', ...more]: readonly string[]): string {
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return `every user of this machine can write ${first}${others}, and so decide what oka does`;
}

const fixFor = (open: readonly string[]): string => `Check that nobody changed them, then: chmod o-w ${open.join(' ')}`;
