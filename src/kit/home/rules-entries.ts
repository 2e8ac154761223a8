/**
 * Owns: a file of .oka/rules that consists of named entries, such as mcp.json and accounts.json, as people and commands
 * change it. Does not own: what an entry says.
 */
import { readFileSync } from 'node:fs';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';

type Entries = { whole: Record<string, Json>; entries: Record<string, Json> };

/** The entries below `key`, and all of the file; or what is wrong with it. A file that is not there has no entries. */
export function readEntries(file: string, key: string): Entries | { problem: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { whole: {}, entries: {} };
    return { problem: `${file} cannot be read: ${messageOf(error)}` };
  }
  try {
    const whole = JSON.parse(text) as Json;
    const entries = isMap(whole) ? (whole[key] ?? {}) : null;
    if (!isMap(whole) || !isMap(entries)) return { problem: `${file} has no object "${key}"` };
    return { whole, entries };
  } catch (error) {
    return { problem: `${file} is not JSON: ${messageOf(error)}` };
  }
}

/**
 * Adds, replaces or, without an entry, removes one. Where the rules are read-only nothing is changed, and the text that a
 * person has to write is returned; else null.
 */
export function changeEntry(file: string, key: string, name: string, entry: Json | null): string | null {
  const read = readEntries(file, key);
  if ('problem' in read)
    throw new OkaError('invalid-file', read.problem, { fix: 'Correct the file, or move it out of the way.' });
  const { [name]: _before, ...others } = read.entries;
  const after = entry === null ? others : { ...read.entries, [name]: entry };
  const text = `${JSON.stringify({ ...read.whole, [key]: after }, null, 2)}\n`;
  try {
    replaceFile(file, text, { mode: 0o644 });
    return null;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return text;
    throw error;
  }
}

const isMap = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
