/**
 * Owns: finding and saving the key of the vault.
 *
 * I1 The key comes from a mounted secret or a key file, never from the environment or an argument.
 * I2 A key file belongs to this user and is readable by nobody else. A mounted secret has the mode its container set.
 * I3 An existing key is never replaced.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { FileWriter } from '../../core/schema/ports.ts';
import { createPrivate, readPlain } from './vault-file.ts';

export type IdentityPlaces = {
  /** A secret mounted into a container; used if it exists. */
  mounted: string;
  /** A file that only this user can read. */
  key: string;
};

/** The key, possibly encrypted with a passphrase. */
export type FoundIdentity = { from: string; text: string; wrapped: boolean };

const ARMOR = '-----BEGIN AGE ENCRYPTED FILE-----';
const SHAPE = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/;

/** Null if there is no key. */
export function findIdentity({ mounted, key }: IdentityPlaces): FoundIdentity | null {
  const given = readPlain(mounted);
  if (given !== null && !isBlank(given.bytes)) return identityIn(mounted, given.bytes);
  const own = readPlain(key);
  if (own === null) return null;
  assertPrivate(key, own.stats);
  return identityIn(key, own.bytes);
}

/** Saves a new key (I3). */
export function saveIdentity(writer: FileWriter, file: string, text: string, recipient: string): void {
  const head = text.startsWith(ARMOR)
    ? ''
    : `# The key of an oka vault. Store a copy where only you can find it.\n# ${recipient}\n`;
  createPrivate(writer, file, Buffer.from(`${head}${text.trim()}\n`));
}

/** A container always mounts some file; an empty one counts as none. */
const isBlank = (bytes: Buffer): boolean => /^\s*(#[^\n]*\s*)*$/.test(bytes.subarray(0, 4096).toString('latin1'));

function identityIn(file: string, bytes: Buffer): FoundIdentity {
  const text = bytes.toString('utf8').trim();
  if (text.startsWith(ARMOR)) return { from: file, text, wrapped: true };
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const [only = '', ...more] = keys;
  if (more.length === 0 && SHAPE.test(only)) return { from: file, text: only, wrapped: false };
  throw new OkaError(
    'invalid-file',
    `${file} does not contain an age key (one line that begins with AGE-SECRET-KEY-1)`,
    {
      fix: 'Put the key of the vault there; without it its secrets cannot be read.',
    },
  );
}

function assertPrivate(file: string, { uid, mode }: { uid: number; mode: number }): void {
  const me = process.getuid?.();
  if (me !== undefined && uid !== me)
    throw new OkaError('unsafe-file', `${file} belongs to uid ${uid}, not to this user (uid ${me})`, {
      fix: `If it is yours: sudo chown ${me} ${file}`,
    });
  if ((mode & 0o077) !== 0)
    throw new OkaError('unsafe-file', `others can read ${file} (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`, {
      fix: `Run: chmod 600 ${file}   If others may have read it, rotate what is in the vault.`,
    });
}
