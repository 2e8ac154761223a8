/** Folders for tests. Whatever a test leaves of them goes when all tests have ended (user-places.ts). */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const testFolder = (name: string): string => mkdtempSync(join(process.env['TEST_FOLDERS'] ?? tmpdir(), name));

/** In memory where that is possible, for tests that do not have to wait for a disk. */
export const memoryFolder = (name: string): string =>
  mkdtempSync(join(process.env['TEST_FOLDERS_IN_MEMORY'] ?? tmpdir(), name));
