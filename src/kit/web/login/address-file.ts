/**
 * Owns: .oka/web/address.json, by which commands know where the dashboard of a home is. Several may be served at once: the
 * last one that still runs is named, so that one that ends takes nobody else's address along.
 */
import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import { errnoOf } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';

type Served = { address: string; pid: number; host: string };

const fileOf = ({ oka }: Pick<Home, 'oka'>): string => join(oka, 'web', 'address.json');

export function writeAddress(home: Pick<Home, 'oka'>, address: string): void {
  makeFolder(join(home.oka, 'web'), 0o700);
  const own = { address, pid: process.pid, host: hostname() };
  write(home, [...readServed(home).filter((each) => each.address !== address && isRunning(each)), own]);
}

/** Null when no dashboard is running, as far as the file says. */
export function readAddress(home: Pick<Home, 'oka'>): string | null {
  const served = readServed(home);
  return (served.findLast(isRunning) ?? served.at(-1))?.address ?? null;
}

export function removeAddress(home: Pick<Home, 'oka'>, address: string): void {
  const others = readServed(home).filter((each) => each.address !== address && isRunning(each));
  if (others.length === 0) rmSync(fileOf(home), { force: true });
  else write(home, others);
}

function write(home: Pick<Home, 'oka'>, served: readonly Served[]): void {
  replaceFile(fileOf(home), `${JSON.stringify({ served })}\n`, { mode: 0o600 });
}

function readServed(home: Pick<Home, 'oka'>): Served[] {
  try {
    return (JSON.parse(readFileSync(fileOf(home), 'utf8')) as { served?: Served[] }).served ?? [];
  } catch {
    return []; // none, or cut: whoever serves writes it again
  }
}

/** A process of another container or machine cannot be looked for from here. */
function isRunning({ pid, host }: Served): boolean {
  if (host !== hostname()) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
