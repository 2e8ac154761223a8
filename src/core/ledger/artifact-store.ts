/**
 * Owns: .oka/artifacts, where large bodies are stored under the hash of their content.
 *
 * A1 An artifact is written once and atomically; the same content is the same file.
 * A2 Content is checked against its hash on every read.
 * A3 Content is redacted before it is hashed: the hash is that of the stored bytes.
 * A4 A binary file in which a secret is found, in any form, is quarantined: a notice is stored in its place, for it would
 *    be neither whole nor safe with a few of its bytes replaced.
 */
import { isUtf8 } from 'node:buffer';
import { hash, randomBytes } from 'node:crypto';
import { constants, lstatSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, OkaError } from '../schema/errors.ts';
import type { ArtifactStore, Redact } from '../schema/ports.ts';
import type { ArtifactRef } from '../schema/tool.ts';
import { describeErrno, makeFolder, replaceFileAsync, syncFolderAsync } from './disk.ts';

export function openArtifacts(folder: string, redact: Redact): ArtifactStore {
  return {
    put: async (body, about = {}) => {
      const bytes = redactBody(body, redact);
      const sha256 = hash('sha256', bytes);
      await storeArtifact(folder, sha256, bytes);
      return {
        sha256,
        bytes: bytes.length,
        media: about.media ?? 'text/plain',
        ...(about.name === undefined ? {} : { name: about.name }),
      };
    },
    get: (ref) => loadArtifact(folder, ref.sha256),
  };
}

/** Flushes without blocking: several tasks store their artifacts at the same time. */
async function storeArtifact(folder: string, sha256: string, bytes: Buffer): Promise<void> {
  const file = artifactFile(folder, sha256);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() && bytes.equals(readFileSync(file))) return;
  makeFolder(dirname(file));
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await replaceFileAsync(file, bytes, { mode: 0o444, temporary });
    await syncFolderAsync(dirname(file));
  } catch (error) {
    throw describeErrno(error, file);
  }
}

async function loadArtifact(folder: string, sha256: ArtifactRef['sha256']): Promise<Buffer> {
  const file = artifactFile(folder, sha256);
  const bytes = await readRegular(file);
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new OkaError('artifact-damaged', `${file} is damaged: its content does not match its name`, {
    fix: 'Restore it from a backup.',
  });
}

async function readRegular(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await handle.readFile();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw new OkaError('artifact-missing', `${file} is missing`, {
        fix: 'Restore it from a backup.',
        cause: error,
      });
    throw describeErrno(error, file);
  }
}

/**
 * Text is redacted as text. Of a binary file each byte is also treated as one character, so that a token is found in
 * every encoding that contains ASCII.
 */
function redactBody(body: string | Uint8Array, redact: Redact): Buffer {
  if (typeof body === 'string') return Buffer.from(redact(body));
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString();
    const clean = redact(text);
    return clean === text ? bytes : Buffer.from(clean);
  }
  for (const encoding of ['latin1', 'utf8'] as const) {
    const text = bytes.toString(encoding);
    const clean = redact(text);
    if (clean !== text) return Buffer.from(quarantineNotice(text, clean));
  }
  return bytes;
}

/** Names what was found, never its value (A4). */
function quarantineNotice(text: string, clean: string): string {
  const before = new Set(text.match(MARKS));
  const found = [...new Set(clean.match(MARKS))].filter((mark) => !before.has(mark));
  return `This file was not stored: it contains ${found.join(', ') || 'a secret'}.\n`;
}

const MARKS = /\[redacted:[^\]\n]{1,120}\]/g;

function artifactFile(folder: string, sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256))
    throw new OkaError('artifact-missing', `"${sha256.slice(0, 80)}" is not an artifact's hash`);
  return join(folder, sha256.slice(0, 2), sha256.slice(2));
}
