/** The view of procedures: drafts and status from the maintenance ledger, matching tasks from the run ledger. */
import type { Event } from '../../core/schema/event.ts';
import type { SharedProcedure } from '../../core/schema/fleet-memory.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { familyOfProcedure } from './execution-record.ts';
import {
  type KnownProcedure,
  applyProcedureEvent,
  type ProcedureState,
  listFoldedProcedures,
} from './known-procedures.ts';
import { storeMatch } from './matched-runs.ts';
import { shortHash } from './task-tokens.ts';

export const procedureView: View = {
  name: 'procedures',
  version: 6,
  types: [
    'procedure.drafted',
    'procedure.moved',
    'procedure.shared',
    'change.undone',
    'procedure.chosen',
    'run.moved',
    'run.ended',
    'run.corrected',
    'run.undone',
  ],
  take: ({ event }, rows) => {
    if (event.pen === 'maintenance') storeProcedureEvent(event, rows, (id) => putProcedureText(rows, id, event.at));
    else if (event.type === 'procedure.shared') storeShared(event, rows);
    else storeMatch(event, rows);
  },
  found: (key, rows) => {
    const id = key.slice(textKey('').length);
    const known = knownProcedure(rows, id);
    const at = rows.get<string>(key);
    if (known === undefined || at === undefined) return null;
    return { kind: 'procedure', name: id, text: known.procedure.title, at, run: null, state: known.status };
  },
};

const sharedPrefix = (member: string): string => `procedures/shared-by/${shortHash(member, 16)}/`;

function storeShared(
  { data: { member, id, procedure } }: Extract<Event, { type: 'procedure.shared' }>,
  rows: Rows,
): void {
  rows.put(`${sharedPrefix(member)}${id}`, procedure);
}

/** The procedures that a member shares, as the ledger says, by their names there. */
export const sharedBy = (rows: Rows, member: string): Map<string, SharedProcedure> =>
  new Map(
    Array.from(rows.each<SharedProcedure>(sharedPrefix(member)), ([key, each]) => [
      key.slice(sharedPrefix(member).length),
      each,
    ]),
  );

/** The row says when the procedure changed last. */
const textKey = (id: string): string => `procedures/text/${id}`;

function putProcedureText(rows: Rows, id: string, at: string): void {
  const known = knownProcedure(rows, id);
  rows.put(textKey(id), known === undefined ? null : at);
  const text = known === undefined ? null : [known.procedure.title, id, ...known.procedure.trigger].join('\n');
  rows.texts?.put(textKey(id), text);
}

const MAX_DRAFTS = 5;
const MAX_MOVES = 100;

type StoredProcedure = {
  drafts: ProcedureState['drafts'] extends Map<string, infer T> ? T : never;
  moves: KnownProcedure['moves'];
};

const knownKey = (id: string): string => `procedures/known/${id}`;
const changeKey = (seq: number): string => `procedures/change/${seq}`;
const idsKey = (family: string): string => `procedures/ids/${family}`;

export function knownProcedure(rows: Rows, id: string): KnownProcedure | undefined {
  const kept = rows.get<StoredProcedure>(knownKey(id));
  return kept === undefined ? undefined : toKnownProcedure(id, kept);
}

/** All procedures, sorted by id. */
export function knownProcedures(rows: Rows): KnownProcedure[] {
  return [...rows.each<StoredProcedure>('procedures/known/')].flatMap(
    ([key, kept]) => toKnownProcedure(key.slice('procedures/known/'.length), kept) ?? [],
  );
}

/** The ids of the procedures of a family. */
export const procedureIdsOf = (rows: Rows, family: string): string[] => rows.get<string[]>(idsKey(family)) ?? [];

/** Whether a person undid the draft; it is not drafted again. */
export const isWithdrawn = (rows: Rows, id: string): boolean =>
  rows.get<boolean>(`procedures/withdrawn/${id}`) === true;

const toProcedureState = (id: string, { drafts, moves }: StoredProcedure): ProcedureState => ({
  drafts: new Map([[id, drafts]]),
  moves: new Map([[id, moves]]),
});

const toKnownProcedure = (id: string, kept: StoredProcedure): KnownProcedure | undefined =>
  listFoldedProcedures(toProcedureState(id, kept))[0];

export function storeProcedureEvent(event: Event, rows: Rows, touch: (id: string) => void): void {
  const id = procedureOfEvent(event, rows);
  if (id === null) return;
  const learned = toProcedureState(id, rows.get<StoredProcedure>(knownKey(id)) ?? { drafts: [], moves: [] });
  applyProcedureEvent(learned, event);
  const drafts = (learned.drafts.get(id) ?? []).slice(-MAX_DRAFTS);
  const moves = (learned.moves.get(id) ?? []).slice(-MAX_MOVES);
  rows.put(knownKey(id), drafts.length + moves.length === 0 ? null : { drafts, moves });
  const family = familyOfProcedure(id);
  const ids = procedureIdsOf(rows, family).filter((each) => each !== id);
  rows.put(idsKey(family), drafts.length === 0 ? ids : [...ids, id]);
  touch(id);
  if (event.type === 'change.undone') {
    if (drafts.length === 0) rows.put(`procedures/withdrawn/${id}`, true);
  } else rows.put(changeKey(event.seq), id);
  if (event.type === 'procedure.drafted') rows.put(`procedures/draft/${id}`, null);
}

function procedureOfEvent(event: Event, rows: Rows): string | null {
  if (event.type === 'procedure.drafted') return event.data.procedure.id;
  if (event.type === 'procedure.moved') return event.data.procedure;
  return event.type === 'change.undone' ? (rows.get<string>(changeKey(event.data.change)) ?? null) : null;
}
