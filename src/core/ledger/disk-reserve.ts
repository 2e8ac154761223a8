/** A little reserved disk space, so that "the disk is full" can still be recorded. */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { replaceFile } from './disk.ts';

export type Reserve = { regain(): void; release(): void };

export function diskReserve(file: string, bytes: number): Reserve {
  return {
    /** Throws `disk-full` while there is no space. Random bytes, so that no file system can compress them away. */
    regain: () => {
      if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) replaceFile(file, randomBytes(bytes));
    },
    release: () => rmSync(file, { force: true }),
  };
}
