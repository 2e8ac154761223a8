/**
 * Owns: which procedures of this home the others get, and what follows here from those that another member shares. Pure.
 * Does not own: what becomes of an import: maintenance makes a candidate of it (rooms/procedures/imported-procedures.ts).
 *
 * 1. Shared is what has proven itself here, by its numbers, and only where the operator names the topic `procedures`: its
 *    words come from the tasks of people. What contains a secret, or a path of this machine, stays here.
 * 2. Imported is what this home could have learned itself: its steps are calls of tools that are here.
 */
import { isDeepStrictEqual } from 'node:util';
import { knownProcedures, sharedBy } from '../../kit/learning/procedure-rows.ts';
import { toImported, toSharedProcedure } from './shared-procedure.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import { MOST_PROCEDURES_BYTES, MOST_SHARED_PROCEDURES, type SharedProcedure } from '../../core/schema/fleet-memory.ts';
import type { Sharing } from '../../core/schema/sharing.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { Rows } from '../../core/schema/rows.ts';

/** The topic under which procedures are shared. */
const TOPIC = 'procedures';

export const sharedProcedures: Sharing = {
  kind: 'procedures',
  own: procedureTexts,
  follow: (member, { procedures }, here) => procedureChanges(member, procedures, here),
};

export function procedureTexts(
  rows: Rows,
  { topics, redact }: { topics: readonly string[]; redact: Redact },
): string[] {
  if (!topics.includes(TOPIC)) return [];
  const chosen: string[] = [];
  let bytes = 0;
  for (const known of knownProcedures(rows)) {
    const shared = known.status === 'promoted' && !known.forced ? toSharedProcedure(known) : null;
    const text = shared === null ? '' : JSON.stringify(shared);
    bytes += Buffer.byteLength(text) + 1;
    if (shared === null || redact(text) !== text || isBoundToHome(shared)) continue;
    if (chosen.length >= MOST_SHARED_PROCEDURES || bytes > MOST_PROCEDURES_BYTES) break;
    chosen.push(text);
  }
  return chosen;
}

/** A path from the root or from a home directory, except programs of the system; or the name of a secret. */
const BOUND = /(?:^|[^\p{L}\p{N}_.}/])(?:~|\/(?!usr\/|bin\/|dev\/null)[\p{L}\p{N}_.])|\bsecret:\w/u;

function isBoundToHome({ task, graph, criteria, targets }: SharedProcedure): boolean {
  return textsIn([task, graph, criteria, targets]).some((text) => BOUND.test(text));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The events with which this home follows what a member shares now. */
export function procedureChanges(
  member: string,
  shared: readonly SharedProcedure[],
  { rows, hasTool }: { rows: Rows; hasTool: (name: string) => boolean },
): NewEvent[] {
  const known = sharedBy(rows, member);
  const given = new Map(shared.filter((each) => isUseful(member, each, hasTool)).map((each) => [each.id, each]));
  const gone = [...known.keys()].filter((id) => !given.has(id));
  const news = [...given].filter(([id, procedure]) => !isDeepStrictEqual(procedure, known.get(id)));
  return [
    ...gone.map((id) => ({ type: 'procedure.shared' as const, data: { member, id, procedure: null } })),
    ...news.map(([id, procedure]) => ({ type: 'procedure.shared' as const, data: { member, id, procedure } })),
  ];
}

function isUseful(member: string, shared: SharedProcedure, hasTool: (name: string) => boolean): boolean {
  if (isBoundToHome(shared)) return false;
  const imported = toImported(member, shared);
  return imported !== null && imported.procedure.tools.every(hasTool);
}
