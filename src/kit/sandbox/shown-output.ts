/**
 * Owns: reading what a command writes while it runs, from the file in which the launcher shows the last of it: how many
 * bytes there were so far (64 bits, little-endian), then the last few thousand. It is for display and may be incomplete.
 */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 150;
const HEADER_BYTES = 8;

export const shownFile = (resultFile: string): string => `${resultFile}.shown`;

/** Removes what a process that was killed has left. */
export function removeShown(folder: string): void {
  for (const name of globSync('*.shown', { cwd: folder })) rmSync(join(folder, name), { force: true });
}

/** Calls back with what is new, several times a second, until it is disposed of. */
export function watchShown(file: string, onOutput: (chunk: Uint8Array) => void): Disposable {
  let seen = 0;
  const read = (): void => {
    const { total, last } = readShown(file);
    if (total <= seen) return;
    onOutput(last.subarray(Math.max(0, last.length - (total - seen))));
    seen = total;
  };
  const timer = setInterval(read, EVERY_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      read();
      rmSync(file, { force: true });
    },
  };
}

function readShown(file: string): { total: number; last: Buffer } {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > HEADER_BYTES)
      return { total: Number(bytes.readBigUInt64LE()), last: bytes.subarray(HEADER_BYTES) };
  } catch {
    // Nothing was written yet, or the disk is full.
  }
  return { total: 0, last: Buffer.alloc(0) };
}
