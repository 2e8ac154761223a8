/** Owns: making a folder ready. What is there already is never touched. */
import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivate } from '../../guard/vault-file.ts';
import { diskWriter, describeErrno } from '../../ledger/disk.ts';
import { errnoOf } from '../../schema/errors.ts';
import { assertFolderAccess } from './folder-access.ts';
import { ledgerLink, prepareMaintenanceFolder, WRITTEN } from '../maintain/maintenance-folder.ts';
import { programFolder } from '../settings.ts';
import type { Home } from '../../schema/home.ts';

const FOLDERS = [
  '.oka/rules',
  '.oka/maintenance',
  ...WRITTEN.map((name) => `.oka/${name}`),
  'workspace/inbox',
  'workspace/outbox',
  'workspace/desk',
];
/** Shipped with the program; the program's own folder is itself a home. */
const FILES = [
  '.oka/rules/config.json',
  '.oka/rules/config.schema.json',
  '.oka/rules/POLICY.md',
  'workspace/README.md',
  'workspace/INSTALL_REQUIREMENTS.md',
];
const LINKS = [{ at: 'INSTALL_REQUIREMENTS.md', to: 'workspace/INSTALL_REQUIREMENTS.md' }, ledgerLink];

const KEY_BYTES = 32;

/** Returns what was made, relative to the home. */
export function setUp(home: Home): string[] {
  assertFolderAccess(home);
  const missing = (path: string): boolean => lstatSync(join(home.dir, path), { throwIfNoEntry: false }) === undefined;
  const folders = FOLDERS.filter(missing);
  const files = FILES.filter(missing);
  const links = LINKS.filter(({ at }) => missing(at));
  for (const folder of folders) attempt(home, folder, (path) => mkdirSync(path, { recursive: true }));
  for (const file of files) attempt(home, file, (path) => writeFileSync(path, readShippedFile(file), { flag: 'wx' }));
  for (const { at, to } of links) attempt(home, at, (path) => symlinkSync(to, path));
  prepareMaintenanceFolder(home);
  return [...folders.map((folder) => `${folder}/`), ...files, ...links.map(({ at }) => at)];
}

/** Makes the key that the egress proxy and the worker share; one that is there stays. */
export function makeEgressKey(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  createPrivate(diskWriter, file, randomBytes(KEY_BYTES));
  return true;
}

export function isSetUp(home: Home): boolean {
  return existsSync(home.oka) && existsSync(home.workspace);
}

function readShippedFile(file: string): string {
  return readFileSync(join(programFolder, file), 'utf8');
}

function attempt(home: Home, path: string, make: (path: string) => void): void {
  const whole = join(home.dir, path);
  try {
    mkdirSync(dirname(whole), { recursive: true });
    make(whole);
  } catch (error) {
    if (errnoOf(error) === 'EROFS' && path.startsWith('.oka/rules/')) return; // whoever needs it says what is missing
    throw describeErrno(error, whole);
  }
}
