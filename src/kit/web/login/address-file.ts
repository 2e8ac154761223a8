/** Owns: .oka/web/address.json, by which commands know where the dashboard of a home is. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import type { Home } from '../../../core/schema/home.ts';

const fileOf = ({ oka }: Pick<Home, 'oka'>): string => join(oka, 'web', 'address.json');

export function writeAddress(home: Pick<Home, 'oka'>, address: string): void {
  makeFolder(join(home.oka, 'web'), 0o700);
  replaceFile(fileOf(home), `${JSON.stringify({ address })}\n`, { mode: 0o600 });
}

/** Null when no dashboard is running, as far as the file says. */
export function readAddress(home: Pick<Home, 'oka'>): string | null {
  try {
    return (JSON.parse(readFileSync(fileOf(home), 'utf8')) as { address: string }).address;
  } catch {
    return null;
  }
}

/** Only its own: another server may have started meanwhile. */
export function removeAddress(home: Pick<Home, 'oka'>, address: string): void {
  if (readAddress(home) === address) rmSync(fileOf(home), { force: true });
}
