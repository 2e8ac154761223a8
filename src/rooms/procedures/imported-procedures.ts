/**
 * Owns: what maintenance makes of procedures that other members of the fleet share: drafts of candidates, and their end.
 * Does not own: what such a procedure is (shared-procedure.ts), nor when one is tried (choose-procedure.ts).
 *
 * 1. Nothing that was learned here is replaced: an import is drafted only where this home knows no procedure for the same
 *    tasks and the same steps, or knows it from the same member.
 * 2. What its member withdraws is demoted while it is a candidate. Once it was promoted here it stays.
 * 3. What was demoted here by its own runs, or undone by a person, is not imported again.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Procedure } from '../../core/schema/procedure.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { draftKey, hasSameContent, MAX_VERSIONS, procedureId } from './draft-procedure.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { isWithdrawn, knownProcedure, knownProcedures } from '../../kit/learning/procedure-rows.ts';
import { findFamily } from './task-family.ts';
import { toImported } from './shared-procedure.ts';

/** Of all members together. */
const MOST_IMPORTED = 200;

const sharedKey = (member: string, id: string): string => `procedures/imported/${member}/${id}`;
const unsharedPrefix = 'procedures/unshared/';

export function recordShared(rows: Rows, { data }: Extract<Event, { type: 'procedure.shared' }>): void {
  const { member, id, procedure } = data;
  const before = rows.get<string>(sharedKey(member, id));
  const imported = procedure === null ? null : toImported(member, procedure);
  const now = imported === null ? null : draftImport(rows, imported);
  rows.put(sharedKey(member, id), now);
  if (before !== undefined && before !== now) withdraw(rows, before, member);
}

/** Imported candidates whose member no longer shares them (2). */
export function unsharedCandidates(rows: Rows): KnownProcedure[] {
  return [...rows.each<string>(unsharedPrefix)].flatMap(([key, member]) => {
    const known = knownProcedure(rows, key.slice(unsharedPrefix.length));
    return known !== undefined && known.procedure.from === member && isOnlyCandidate(known) ? [known] : [];
  });
}

const isOnlyCandidate = ({ status, moves }: KnownProcedure): boolean =>
  status === 'candidate' && moves.every(({ to }) => to !== 'promoted');

function draftImport(rows: Rows, { procedure, text, tokens }: NonNullable<ReturnType<typeof toImported>>): string {
  const family = findFamily(rows, tokens, procedure.shape);
  const id = procedureId(rows, family, procedure.shape, text);
  const known = knownProcedure(rows, id);
  const draft = { ...procedure, id, version: (known?.procedure.version ?? 0) + 1 };
  if (isWanted(rows, draft, known)) rows.put(draftKey(id), draft);
  rows.put(`${unsharedPrefix}${id}`, null);
  return id;
}

function isWanted(rows: Rows, draft: Procedure, known: KnownProcedure | undefined): boolean {
  const pending = rows.get<Procedure>(draftKey(draft.id));
  if (isWithdrawn(rows, draft.id) || draft.version > MAX_VERSIONS) return false;
  if (pending !== undefined && pending.from !== draft.from) return false;
  if (known === undefined) return knownProcedures(rows).filter(isImported).length < MOST_IMPORTED;
  if (known.procedure.from !== draft.from) return false;
  if (known.status === 'demoted') return rows.get<string>(`${unsharedPrefix}${draft.id}`) === draft.from;
  return isOnlyCandidate(known) && !hasSameContent(draft, known.procedure);
}

const isImported = ({ procedure: { from } }: KnownProcedure): boolean => from !== undefined;

function withdraw(rows: Rows, id: string, member: string): void {
  if (rows.get<Procedure>(draftKey(id))?.from === member) rows.put(draftKey(id), null);
  const known = knownProcedure(rows, id);
  if (known !== undefined && isOnlyCandidate(known)) rows.put(`${unsharedPrefix}${id}`, member);
}
