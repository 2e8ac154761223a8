/**
 * Owns: .oka/rules/mcp.json, which people write.
 *
 * F1 An entry that cannot be used costs only itself; the others work. A file that is not JSON has no servers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import { type McpServer, readEntry } from '../../core/schema/mcp.ts';

type McpServers = {
  servers: ReadonlyMap<string, McpServer>;
  problems: { server: string | null; problem: string }[];
};

export const mcpFile = (home: Home): string => join(home.oka, 'rules', 'mcp.json');

export function loadServers(home: Home): McpServers {
  const file = readEntries(home);
  if ('problem' in file) return { servers: new Map(), problems: [{ server: null, problem: file.problem }] };
  const servers = new Map<string, McpServer>();
  const problems: McpServers['problems'] = [];
  for (const [name, entry] of Object.entries(file.entries)) {
    const read = readEntry(name, entry);
    if (typeof read === 'string') problems.push({ server: name, problem: read });
    else if (!read.disabled) servers.set(name, read);
  }
  return { servers, problems };
}

/**
 * Adds, replaces or, without an entry, removes a server. Where the rules are read-only nothing is changed, and the text that a
 * person has to write is returned; else null.
 */
export function changeServer(home: Home, name: string, entry: Json | null): string | null {
  const text = changedText(home, name, entry);
  try {
    replaceFile(mcpFile(home), text, { mode: 0o644 });
    return null;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'not-permitted') return text;
    throw error;
  }
}

/** The whole file as it would be. */
function changedText(home: Home, name: string, entry: Json | null): string {
  const file = readEntries(home);
  if ('problem' in file)
    throw new OkaError('invalid-file', file.problem, { fix: 'Correct the file, or move it out of the way.' });
  const { [name]: _before, ...others } = file.entries;
  const mcpServers = entry === null ? others : { ...file.entries, [name]: entry };
  return `${JSON.stringify({ ...file.whole, mcpServers }, null, 2)}\n`;
}

type Entries = { whole: Record<string, Json>; entries: Record<string, Json> };

function readEntries(home: Home): Entries | { problem: string } {
  const file = mcpFile(home);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { whole: {}, entries: {} };
    return { problem: `${file} cannot be read: ${messageOf(error)}` };
  }
  try {
    const whole = JSON.parse(text) as Json;
    const entries = isMap(whole) ? (whole['mcpServers'] ?? {}) : null;
    if (!isMap(whole) || !isMap(entries)) return { problem: `${file} has no object "mcpServers"` };
    return { whole, entries };
  } catch (error) {
    return { problem: `${file} is not JSON: ${messageOf(error)}` };
  }
}

const isMap = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
