/** Finds files of a run that contain a secret, in their content or in their name. The secret itself is not returned. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundSecret } from '../../kit/text/safety.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Redact } from '../../core/schema/ports.ts';

const MOST_FILES = 500;
const MOST_BYTES = 4 * 1024 * 1024;
const MARK = /\[redacted:([^\]\n]{1,120})\]/g;

export function secretsIn(desk: string, paths: readonly string[], redact: Redact): FoundSecret[] {
  return paths.slice(0, MOST_FILES).flatMap((path) => {
    const text = readSmallFile(join(desk, path)) ?? '';
    const name = redact(path);
    const kinds = new Set([...newKinds(path, name), ...newKinds(text, redact(text))]);
    return [...kinds].map((kind) => ({ where: name, kind }));
  });
}

/** What redaction has found in a text; a mark that was there before is no secret. */
function newKinds(text: string, cleaned: string): string[] {
  if (cleaned === text) return [];
  const before = new Set(kindsIn(text));
  return kindsIn(cleaned).filter((kind) => !before.has(kind));
}

const kindsIn = (text: string): string[] => [...text.matchAll(MARK)].map((match) => match[1] ?? '');

/** Null for a file that is gone, too large, or no regular file. */
function readSmallFile(file: string): string | null {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(fd, 'latin1') : null;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
