/**
 * Owns: making a folder ready, and refusing a home that has lost what it once had. What is there is never touched.
 *
 * S1 A folder is set up only if nothing knows it as a home: no id in it, no ledger, no notes of this user.
 * S2 In a known home nothing that is missing is made again, except by `oka init --restore`: a policy that is gone is not
 *    replaced by the default, and the empty mount point of a volume does not become a home. Folders that can be
 *    rebuilt or are empty at rest (DERIVED) are made at any time.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivate } from '../vault/vault-file.ts';
import { diskWriter, describeErrno } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { assertFolderAccess } from './folder-access.ts';
import { contentsOf, identifyHome, isKnown, type Marks, marksOf, noteContents } from './home-identity.ts';
import { ledgerLink, prepareMaintenanceFolder, WRITTEN } from './maintenance-folder.ts';
import { isInContainer, programFolder } from '../settings.ts';
import type { Home } from '../../core/schema/home.ts';

/** What a home cannot work without, and nothing can rebuild. */
const ESSENTIAL = [
  '.oka/rules/config.json',
  '.oka/rules/POLICY.md',
  'workspace/inbox',
  'workspace/outbox',
  'workspace/desk',
] as const;
const DERIVED = ['.oka/maintenance', '.oka/web', ...WRITTEN.map((name) => `.oka/${name}`)];
const FOLDERS = ['.oka/rules', ...DERIVED, 'workspace/inbox', 'workspace/outbox', 'workspace/desk'];
/** The first files of a home. Their templates are in share/home: of these git tracks only the page of requirements, which a clone shows from the start. */
const FILES = [
  '.oka/rules/config.json',
  '.oka/rules/config.schema.json',
  '.oka/rules/POLICY.md',
  'workspace/README.md',
  'workspace/INSTALL_REQUIREMENTS.md',
];
const LINKS = [{ at: 'INSTALL_REQUIREMENTS.md', to: 'workspace/INSTALL_REQUIREMENTS.md' }, ledgerLink];

const KEY_BYTES = 32;

/** Returns what was made, relative to the home. `restore`: a person wants what is missing in a known home made again. */
export function setUp(home: Home, { restore = false } = {}): string[] {
  assertFolderAccess(home);
  const marks = marksOf(home);
  const isNew = restore || !isKnown(marks);
  const lost = isNew ? [] : ESSENTIAL.filter((path) => isMissing(home, path));
  if (lost.length > 0) throw incompleteHome(home, marks, lost);
  const folders = (isNew ? FOLDERS : DERIVED).filter((path) => isMissing(home, path));
  const files = isNew ? FILES.filter((path) => isMissing(home, path)) : [];
  const links = isNew ? LINKS.filter(({ at }) => isMissing(home, at)) : [];
  for (const folder of folders)
    attempt(home, folder, (path) => mkdirSync(path, { recursive: true, mode: modeOf(folder, 0o777) }));
  for (const file of files)
    attempt(home, file, (path) => writeFileSync(path, readTemplate(file), { flag: 'wx', mode: modeOf(file, 0o666) }));
  for (const { at, to } of links) attempt(home, at, (path) => symlinkSync(to, path));
  prepareMaintenanceFolder(home);
  if (isNew) identifyHome(home, marks.notes.at(-1)?.id);
  noteContents(home, ESSENTIAL);
  return [...folders.map((folder) => `${folder}/`), ...files, ...links.map(({ at }) => at)];
}

/** Refuses to work in a home that was complete once and has lost something since (S2). */
export function assertComplete(home: Home): void {
  const lost = contentsOf(home).filter((path) => isMissing(home, path));
  if (lost.length > 0) throw incompleteHome(home, marksOf(home), lost);
}

/** For a folder that is no home now: when it was one, if this user knows that. */
export function assertNeverSetUp(home: Home): void {
  const marks = marksOf(home);
  if (marks.notes.length > 0)
    throw incompleteHome(
      home,
      marks,
      ['.oka', 'workspace'].filter((path) => isMissing(home, path)),
    );
}

/** What is in `.oka` is for its user only. */
const modeOf = (path: string, mode: number): number => (path.startsWith('.oka') ? mode & 0o700 : mode);

function isMissing(home: Home, path: string): boolean {
  return lstatSync(join(home.dir, path), { throwIfNoEntry: false }) === undefined;
}

function incompleteHome(home: Home, { notes }: Marks, lost: readonly string[]): OkaError {
  const since = notes.at(-1)?.since.slice(0, 10);
  const known = since === undefined ? 'is a home that was set up before' : `was set up as a home on ${since}`;
  const missing = `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} missing`;
  const restore = isInContainer()
    ? 'docker compose run --rm init init --restore'
    : `oka init --restore --dir ${home.dir}`;
  return new OkaError('not-set-up', `${home.dir} ${known}, but ${missing}`, {
    fix: `Is a volume not mounted? Otherwise restore it from a backup. To make what is missing again, with default rules: ${restore}`,
  });
}

/** Makes the key that the egress proxy and the worker share; one that is there stays. */
export function makeEgressKey(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  createPrivate(diskWriter, file, randomBytes(KEY_BYTES));
  return true;
}

function readTemplate(file: string): string {
  return readFileSync(join(programFolder, 'share', 'home', file.replace(/^\.oka\//, '')), 'utf8');
}

function attempt(home: Home, path: string, make: (path: string) => void): void {
  const whole = join(home.dir, path);
  try {
    mkdirSync(dirname(whole), { recursive: true, mode: modeOf(path, 0o777) });
    make(whole);
  } catch (error) {
    if (errnoOf(error) === 'EROFS' && path.startsWith('.oka/rules/')) return; // whoever needs it says what is missing
    throw describeErrno(error, whole);
  }
}
