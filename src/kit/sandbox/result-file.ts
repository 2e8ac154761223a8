/**
 * Owns: the file in which the launcher records how a command ended: where it is and how it is read.
 * Does not own: writing it (native/main.c). While the command runs there is only `.tmp`, locked by the launcher.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants as os } from 'node:os';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { type Captured, type Launched, mentionsRefusal } from './launch-result.ts';

type Header = {
  v: 1;
  ended: 'itself' | 'stopped' | 'timed-out' | 'out-of-memory' | 'too-many-processes' | 'unstarted';
  problem: number;
  exit: number;
  signal: number;
  ms: number;
  /** Bytes of head and tail that follow, and how many were omitted between them. */
  stdout: [number, number, number];
  stderr: [number, number, number];
};

const NEWLINE = 10;
const LONGEST_NAME = 200;

export function resultFile(folder: string, call: string): string {
  const name = call.replaceAll(/[^A-Za-z0-9._-]/g, (char) => `%${char.codePointAt(0)?.toString(16)}_`);
  if (call === '' || name.startsWith('.') || name.length > LONGEST_NAME)
    throw new OkaError('usage', `${JSON.stringify(call.slice(0, 80))} cannot be the name of a result file`);
  return join(folder, `${name}.result`);
}

export const temporaryName = (file: string): string => `${file}.tmp`;

/** Null when it is not there, or was torn by a power cut: then it is unknown how the command ended. */
export function readResult(file: string): Launched | null {
  const bytes = readBytesOrNull(file);
  const end = bytes?.indexOf(NEWLINE) ?? -1;
  if (bytes === null || end < 0) return null;
  const header = parseHeader(bytes.subarray(0, end).toString());
  if (header === null) return null;
  const sizes = [...header.stdout.slice(0, 2), ...header.stderr.slice(0, 2)];
  if (bytes.length !== end + 1 + sizes.reduce((sum, size) => sum + size, 0)) return null;
  return toLaunched(header, bytes.subarray(end + 1));
}

export async function dropResult(file: string): Promise<void> {
  await rm(temporaryName(file), { force: true });
  await rm(file, { force: true });
}

function readBytesOrNull(file: string): Buffer | null {
  try {
    if (!lstatSync(file).isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`);
    return readFileSync(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parseHeader(line: string): Header | null {
  try {
    const header = JSON.parse(line) as Header;
    return header.v === 1 ? header : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function toLaunched(header: Header, bytes: Buffer): Launched {
  const outBytes = header.stdout[0] + header.stdout[1];
  const stdout = readCaptured(bytes.subarray(0, outBytes), header.stdout);
  const stderr = readCaptured(bytes.subarray(outBytes), header.stderr);
  const started = header.ended !== 'unstarted';
  const exit = started && header.exit >= 0 ? header.exit : null;
  const signal = started && header.signal > 0 ? signalName(header.signal) : null;
  const ended = toEnd(header);
  return { exit, signal, ended, stdout, stderr, ms: header.ms, denied: mentionsRefusal({ ended, exit, stderr }) };
}

function readCaptured(bytes: Buffer, [head, , omitted]: Header['stdout']): Captured {
  return { head: bytes.subarray(0, head), tail: bytes.subarray(head), omitted };
}

function toEnd(header: Header): Launched['ended'] {
  switch (header.ended) {
    case 'itself':
    case 'timed-out':
      return { how: header.ended };
    case 'out-of-memory':
      return { how: 'exceeded', limit: 'memory' };
    case 'too-many-processes':
      return { how: 'exceeded', limit: 'processes' };
    case 'stopped':
      return { how: 'aborted' };
    case 'unstarted':
      return { how: 'unstarted', problem: getSystemErrorName(-header.problem) };
  }
}

export function signalName(number: number): string {
  return Object.entries(os.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}
