/**
 * Owns: .oka/mcp/<server>.json, the tools that a person has accepted; and .oka/state/mcp/<server>.json, what was last seen.
 *
 * A1 A file that cannot be read or understood means that nothing is accepted.
 * A2 Only a person's command writes what is accepted.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile, stampOf } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { McpPins, ServerNote, type ToolDefinition } from '../../core/schema/mcp.ts';
import type { Era } from './client/client-session.ts';

export type Accepted = { kind: 'none' } | { kind: 'accepted'; pins: McpPins } | { kind: 'unreadable'; problem: string };

const pinFile = (home: Home, server: string): string => join(home.oka, 'mcp', `${server}.json`);
const noteFile = (home: Home, server: string): string => join(home.oka, 'state', 'mcp', `${server}.json`);

export function readPins(home: Home, server: string): Accepted {
  try {
    return { kind: 'accepted', pins: McpPins.parse(JSON.parse(readFileSync(pinFile(home, server), 'utf8'))) };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { kind: 'none' };
    return {
      kind: 'unreadable',
      problem: `${pinFile(home, server)} cannot be used: ${messageOf(error).slice(0, 300)}`,
    };
  }
}

export function writePins(
  home: Home,
  server: string,
  accepted: { identity: string; by: string; at: string; tools: readonly ToolDefinition[]; reads: readonly string[] },
): void {
  const { identity, by, at, tools, reads } = accepted;
  const pins: McpPins = { version: 1, identity, by, at, tools: [...tools], reads: [...reads] };
  mkdirSync(dirname(pinFile(home, server)), { recursive: true, mode: 0o700 });
  replaceFile(pinFile(home, server), `${JSON.stringify(pins, null, 1)}\n`, { mode: 0o600 });
  const note = readNote(home, server);
  if (note !== null) writeNote(home, server, { ...note, changed: [] });
}

export function removePins(home: Home, server: string): void {
  for (const file of [pinFile(home, server), noteFile(home, server)]) rmSync(file, { force: true });
}

/** Changes when anybody has accepted, changed or removed something. */
export const pinStamp = (home: Home, server: string): string => stampOf(pinFile(home, server));

const ERA_MS = 30 * 86_400_000;

export function readNote(home: Home, server: string): ServerNote | null {
  try {
    return ServerNote.parse(JSON.parse(readFileSync(noteFile(home, server), 'utf8')));
  } catch {
    return null; // it is only remembered to save time
  }
}

/** What the server spoke before; null when that is not known, long ago, or was another server. */
export function knownEra(home: Home, server: string, identity: string, now: number): Era | null {
  const note = readNote(home, server);
  if (note === null || note.identity !== identity || now - Date.parse(note.at) > ERA_MS) return null;
  return note.era;
}

/** What cannot be noted is only found out again. */
export function writeNote(home: Home, server: string, note: ServerNote): void {
  try {
    mkdirSync(dirname(noteFile(home, server)), { recursive: true, mode: 0o700 });
    replaceFile(noteFile(home, server), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
