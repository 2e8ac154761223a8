/**
 * Owns: the files of a zip or tar archive, in memory.
 *
 * 1. Nothing is written: whoever asked decides where each file goes.
 * 2. The number of files and the bytes they unpack to are bounded before anything is unpacked beyond the bound.
 * 3. Links, devices, absolute paths, paths with `..` and two files of one name are refused, and with them the archive.
 */
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { OkaError } from '../../core/schema/errors.ts';
import { SKILL_LIMITS, type SkillFile } from '../../kit/skills/skill-folder.ts';

/** Archives have entries that are no files of the skill, such as folders. */
const MOST_ENTRIES = 4 * SKILL_LIMITS.files;

type Entry = { path: string; mode: number; content: () => Buffer; bytes: number };

export function readArchive(bytes: Buffer, name: string): SkillFile[] {
  const isZip = bytes.length > 4 && bytes.readUInt32LE(0) === ZIP_START;
  const entries = isZip ? zipEntries(bytes) : tarEntries(unzipped(bytes, name));
  const files = new Map<string, SkillFile>();
  let total = 0;
  for (const { path, mode, content, bytes: size } of entries) {
    assertInside(path);
    total += size;
    if (total > SKILL_LIMITS.bytes) throw refusal(`it unpacks to more than ${SKILL_LIMITS.bytes / 1024 / 1024} MB`);
    if (files.size >= SKILL_LIMITS.files) throw refusal(`it has more than ${SKILL_LIMITS.files} files`);
    if (files.has(path.toLowerCase())) throw refusal(`it has two files called ${path}`);
    files.set(path.toLowerCase(), { path, content: content(), isExecutable: (mode & 0o111) !== 0 });
  }
  return [...files.values()];
}

const refusal = (why: string): OkaError => new OkaError('unsafe-file', `the archive is refused: ${why}`);

function assertInside(path: string): void {
  const isOdd = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (isOdd || /[\\:\p{C}]/u.test(path))
    throw refusal(`"${JSON.stringify(path).slice(1, 120)}" is no plain relative path`);
}

function unzipped(bytes: Buffer, name: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: 2 * SKILL_LIMITS.bytes });
  } catch (error) {
    throw new OkaError('unsafe-file', `${name} is refused: it is damaged, or unpacks to too much`, { cause: error });
  }
}

const ZIP_START = 0x04034b50;
const ZIP_ENTRY = 0x02014b50;
const ZIP_END = 0x06054b50;

/** By the directory at the end of the archive, which is what other programs go by. */
function zipEntries(bytes: Buffer): Entry[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== ZIP_END)
    throw refusal('its directory is missing');
  const count = bytes.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw refusal(`it has ${count} entries`);
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let number = 0; number < count; number += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ZIP_ENTRY) throw refusal('its directory is damaged');
    const nameLength = bytes.readUInt16LE(at + 28);
    const path = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const entry = zipEntry(bytes, at, path);
    if (entry !== null) entries.push(entry);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function zipEntry(bytes: Buffer, at: number, path: string): Entry | null {
  const mode = bytes.readUInt32LE(at + 38) >>> 16;
  const kind = mode & 0o170000;
  if (kind === 0o120000) throw refusal(`${path} is a link`);
  if (path.endsWith('/')) return null;
  if (kind !== 0 && kind !== 0o100000) throw refusal(`${path} is no plain file`);
  if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw refusal(`${path} is encrypted`);
  const method = bytes.readUInt16LE(at + 10);
  const size = bytes.readUInt32LE(at + 24);
  const packed = bytes.readUInt32LE(at + 20);
  const local = bytes.readUInt32LE(at + 42);
  return { path, mode, bytes: size, content: () => unpackEntry(bytes, { path, method, size, packed, local }) };
}

type Packed = { path: string; method: number; size: number; packed: number; local: number };

function unpackEntry(bytes: Buffer, { path, method, size, packed, local }: Packed): Buffer {
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== ZIP_START) throw refusal(`${path} is damaged`);
  const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const data = bytes.subarray(from, from + packed);
  const content = method === 0 ? data : method === 8 ? inflate(data, size, path) : null;
  if (content === null) throw refusal(`${path} is packed by a method that is not known`);
  if (content.length !== size) throw refusal(`${path} has another size than its entry says`);
  return Buffer.from(content);
}

/** The stated size was counted against the bound, so no more than that is unpacked. */
function inflate(data: Buffer, size: number, path: string): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw new OkaError('unsafe-file', `the archive is refused: ${path} is damaged, or larger than it says`, {
      cause: error,
    });
  }
}

const BLOCK = 512;

function tarEntries(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  let longName: string | null = null;
  let count = 0;
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    assertChecksum(header);
    if ((count += 1) > MOST_ENTRIES) throw refusal('it has too many entries');
    const size = octal(header, 124, 12);
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (body.length !== size) throw refusal('it breaks off');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const kind = String.fromCharCode(header[156] ?? 0);
    if (kind === 'L') longName = textUntilZero(body);
    else if (kind === 'x') longName = paxPath(body) ?? longName;
    else if (kind !== 'g') {
      const path: string = (longName ?? headerPath(header)).replace(/^\.\//, '');
      longName = null;
      const entry = tarEntry(kind, path, octal(header, 100, 8), body);
      if (entry !== null) entries.push(entry);
    }
  }
  if (count === 0) throw refusal('it is neither a zip nor a tar archive');
  return entries;
}

function tarEntry(kind: string, path: string, mode: number, body: Buffer): Entry | null {
  if (kind === '5') return null;
  if (kind === '1' || kind === '2') throw refusal(`${path} is a link`);
  if (kind !== '0' && kind !== '\0' && kind !== '7') throw refusal(`${path} is no plain file`);
  return { path, mode, bytes: body.length, content: () => Buffer.from(body) };
}

function assertChecksum(header: Buffer): void {
  const sum = header.reduce((all, byte, index) => all + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw refusal('it is neither a zip nor a tar archive, or it is damaged');
}

function octal(header: Buffer, from: number, length: number): number {
  const text = textUntilZero(header.subarray(from, from + length)).trim();
  if (!/^[0-7]*$/.test(text)) throw refusal('it is neither a zip nor a tar archive, or it is damaged');
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function headerPath(header: Buffer): string {
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textUntilZero(header.subarray(345, 500)) : '';
  const name = textUntilZero(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function textUntilZero(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** A record is its length, a blank, `path=…` and a line break. */
function paxPath(body: Buffer): string | null {
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at);
    const length = Number.parseInt(body.toString('latin1', at, blank), 10);
    if (blank < 0 || !(length > 0)) return null;
    const record = body.toString('utf8', blank + 1, at + length - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += length;
  }
  return null;
}
