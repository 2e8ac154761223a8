/**
 * Owns: .oka/rules/mcp.json, which people write.
 *
 * F1 An entry that cannot be used costs only itself; the others work. A file that is not JSON has no servers.
 */
import { join } from 'node:path';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import { type McpServer, readEntry } from '../../core/schema/mcp.ts';
import { changeEntry, readEntries } from '../../kit/home/rules-entries.ts';

type McpServers = {
  servers: ReadonlyMap<string, McpServer>;
  problems: { server: string | null; problem: string }[];
};

const KEY = 'mcpServers';

export const mcpFile = (home: Home): string => join(home.oka, 'rules', 'mcp.json');

export function loadServers(home: Home): McpServers {
  const file = readEntries(mcpFile(home), KEY);
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

/** As changeEntry of kit/home. */
export const changeServer = (home: Home, name: string, entry: Json | null): string | null =>
  changeEntry(mcpFile(home), KEY, name, entry);
