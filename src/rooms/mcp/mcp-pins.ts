/**
 * Owns: .oka/mcp/<server>.json, the tools that a person has accepted; and .oka/state/mcp/<server>.json, what was last seen.
 *
 * A1 A file that cannot be read or understood means that nothing is accepted.
 * A2 Only a person's command writes what is accepted, and only a person's answer what is always allowed.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile, stampOf } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { McpPins, ServerNote } from '../../core/schema/mcp.ts';
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
  accepted: Pick<McpPins, 'identity' | 'by' | 'at' | 'tools' | 'allowed'> & { reads: readonly string[] },
): void {
  const { allowed = [], reads, ...rest } = accepted;
  storePins(home, server, {
    version: 1,
    ...rest,
    reads: [...reads],
    ...(allowed.length === 0 ? {} : { allowed }),
  });
  const note = readNote(home, server);
  if (note !== null) writeNote(home, server, { ...note, changed: [] });
}

/**
 * From now on every call of a tool, as it was accepted, is allowed; one that is not accepted is not. Where that cannot be
 * stored, the next call is asked about.
 */
export function allowAlways(home: Home, server: string, said: NonNullable<McpPins['allowed']>[number]): void {
  const accepted = readPins(home, server);
  if (accepted.kind !== 'accepted' || accepted.pins.tools.every(({ name }) => name !== said.tool)) return;
  const others = (accepted.pins.allowed ?? []).filter(({ tool }) => tool !== said.tool);
  try {
    storePins(home, server, { ...accepted.pins, allowed: [...others, said] });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function storePins(home: Home, server: string, pins: McpPins): void {
  mkdirSync(dirname(pinFile(home, server)), { recursive: true, mode: 0o700 });
  replaceFile(pinFile(home, server), `${JSON.stringify(pins, null, 1)}\n`, { mode: 0o600 });
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
