/**
 * Owns: which procedures have to be judged, and their changes of status.
 * Does not own: the numbers and the rule (promotion-gate.ts), nor which procedures exist (procedures-part.ts).
 *
 * 1. A procedure is judged when it has new runs or a person wants another status, and once a day, since unused ones retire.
 * 2. A family of tasks has at most one promoted procedure.
 * 3. What a person wants comes first and is marked as such.
 */
import { isMaintenanceJob } from '../../core/schema/maintenance.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { Procedure, ProcedureMove, ProcedureNumbers, ProcedureStatus } from '../../core/schema/procedure.ts';
import type { Part, Pass } from '../../core/schema/learning-part.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { type Execution, executionsOf, familyOfProcedure } from '../../kit/learning/execution-record.ts';
import { missingForTrial } from './blind-checks.ts';
import { type GateSettings, type Judgement, judge, computeNumbers } from './promotion-gate.ts';
import { oddInput, usualOf } from './input-shapes.ts';
import type { Case, Trial } from './procedure-case.ts';
import { unsharedCandidates } from './imported-procedures.ts';
import { isUnconfirmed, type KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { familyOfRun } from './procedures-part.ts';
import { procedureIdsOf, knownProcedure, knownProcedures } from '../../kit/learning/procedure-rows.ts';

const DUE = 'standing/due/';
const WISH = 'standing/wish/';
const CHECKED = 'standing/checked';

type Wish = { to: Exclude<ProcedureStatus, 'candidate'>; reason: string };

/** Must come after the part that knows the procedures. */
export function judgeProcedures(settings: GateSettings): Part {
  return {
    name: 'standing',
    take: ({ event }, rows) => (HANDLERS[event.type] as Handler<Event['type']> | undefined)?.(event, rows),
    conclude: (rows, pass) => {
      const wished = [...rows.each<Wish>(WISH)].flatMap(([key, wish]) =>
        moveByWish(rows, key.slice(WISH.length), wish),
      );
      if (wished.length > 0) return wished.map((move) => toEvent(move(pass, settings)));
      const unshared = unsharedCandidates(rows);
      if (unshared.length > 0) return unshared.map((known) => toEvent(withdrawalOf(rows, known, pass, settings)));
      const moves = dueProcedures(rows, pass).flatMap((known) => judgeProcedure(rows, known, pass, settings));
      return moves.filter((move, at) => moves.findIndex((other) => isSameFamily(move, other)) === at).map(toEvent);
    },
  };
}

type Handler<T extends Event['type']> = (event: Extract<Event, { type: T }>, rows: Rows) => void;

/** Events of other types do not affect the status of a procedure. */
const HANDLERS: { readonly [T in Event['type']]?: Handler<T> } = {
  'run.ended': judgeFamilySoon,
  'run.corrected': judgeFamilySoon,
  'run.undone': judgeFamilySoon,
  'procedure.drafted': ({ data }, rows) => rows.put(`${DUE}${data.procedure.id}`, true),
  'procedure.moved': ({ data }, rows) => {
    for (const mark of [DUE, WISH]) rows.put(`${mark}${data.procedure}`, null);
  },
  'intake.received': ({ data: { intake } }, rows) => {
    if (intake.kind === 'procedure') recordWish(rows, intake);
  },
  'slot.came': ({ data, at }, rows) => {
    if (data.how !== 'ran' || !isMaintenanceJob(data.job)) return;
    rows.put(CHECKED, at.slice(0, 10));
    for (const key of [...rows.each(DUE)].map(([due]) => due)) rows.put(key, null);
  },
};

function judgeFamilySoon({ run }: Event, rows: Rows): void {
  const family = run === null ? undefined : familyOfRun(rows, run);
  for (const id of family === undefined ? [] : procedureIdsOf(rows, family)) rows.put(`${DUE}${id}`, true);
}

function recordWish(rows: Rows, { procedure, to, reason }: Wish & { procedure: string }): void {
  if (knownProcedure(rows, procedure) !== undefined) rows.put(`${WISH}${procedure}`, { to, reason } satisfies Wish);
}

/** Returns the procedures to judge now (1). */
function dueProcedures(rows: Rows, { now }: Pass): KnownProcedure[] {
  if (now.slice(0, 10) > (rows.get<string>(CHECKED) ?? '')) return knownProcedures(rows);
  return [...rows.each(DUE)].flatMap(([key]) => knownProcedure(rows, key.slice(DUE.length)) ?? []);
}

function judgeProcedure(rows: Rows, known: KnownProcedure, { now }: Pass, settings: GateSettings): ProcedureMove[] {
  const { procedure, status } = known;
  const { numbers, ...about } = currentNumbers(rows, known, now, settings);
  const judgement =
    isRedrafted(known) && missingForTrial(about).length === 0
      ? { to: 'candidate' as const, reason: redraftedReason(procedure) }
      : (judge(about, numbers, now, settings) ?? metOthers(rows, known));
  if (judgement === null || (judgement.to === 'promoted' && hasOtherPromoted(rows, procedure.id))) return [];
  const usual = judgement.to === 'promoted' ? { usual: usualOf(goodRuns(rows, procedure)) } : {};
  return [{ procedure: procedure.id, from: status, by: 'gate', forced: false, numbers, ...usual, ...judgement }];
}

/** It went well with files of another kind, planned by a model that did the same: from then on it may meet them itself. */
function metOthers(rows: Rows, { procedure, status, forced, probation, usual }: KnownProcedure): Judgement | null {
  if (status !== 'promoted' || forced) return null;
  const met = goodRuns(rows, procedure).findLast(({ read = {} }) =>
    usual === null ? Object.keys(read).length > 0 : oddInput(usual, read) !== null,
  );
  if (met === undefined) return null;
  const reason = `${met.run} went well in the same way with what it read`;
  return { to: 'promoted', reason, ...(probation ? { probation: true } : {}) };
}

/** The executions of its steps that went well, whoever planned them. */
const goodRuns = (rows: Rows, { id, shape: steps }: Procedure): Execution[] =>
  executionsOf(rows, familyOfProcedure(id)).filter(({ fine, trusted, shape }) => fine && trusted && shape === steps);

/** Applies what a person wants (3), unless it is so already. */
function moveByWish(
  rows: Rows,
  id: string,
  { to, reason }: Wish,
): ((pass: Pass, settings: GateSettings) => ProcedureMove)[] {
  const known = knownProcedure(rows, id);
  if (known === undefined || known.status === to) return [];
  return [
    ({ now }, settings) => ({
      procedure: id,
      from: known.status,
      to,
      by: 'person',
      forced: true,
      numbers: computeNumbers(buildCase(rows, known, now), now, settings),
      reason: reason === '' ? 'a person wants it' : reason,
    }),
  ];
}

function withdrawalOf(rows: Rows, known: KnownProcedure, { now }: Pass, settings: GateSettings): ProcedureMove {
  const { procedure, status } = known;
  const { numbers } = currentNumbers(rows, known, now, settings);
  const reason = `${procedure.from}, which shared it, no longer does`;
  return { procedure: procedure.id, from: status, to: 'demoted', by: 'gate', forced: false, numbers, reason };
}

const redraftedReason = (procedure: Procedure): string =>
  isUnconfirmed(procedure) ? `${procedure.from} shares it again` : 'it was drafted again from runs that went well';

const toEvent = (move: ProcedureMove): NewEvent => ({ type: 'procedure.moved', data: move });

/** A family changes one procedure at a time, so that the next decision sees the last. */
const isSameFamily = (a: ProcedureMove, b: ProcedureMove): boolean =>
  familyOfProcedure(a.procedure) === familyOfProcedure(b.procedure);

/** Whether the family already has another promoted procedure (2). */
const hasOtherPromoted = (rows: Rows, id: string): boolean =>
  procedureIdsOf(rows, familyOfProcedure(id)).some(
    (other) => other !== id && knownProcedure(rows, other)?.status === 'promoted',
  );

/**
 * Whether a procedure that was demoted, or retired because nobody needed it, has a new version: its steps went well again
 * in plans of a model. What a person retired stays retired until a person promotes it.
 */
function isRedrafted({ status, forced, drafted, moves }: KnownProcedure): boolean {
  const mayReturn = status === 'demoted' || (status === 'retired' && !forced);
  return mayReturn && drafted > (moves.at(-1)?.seq ?? 0);
}

/** The numbers as they are now; they are recorded only when the status changes. */
export function currentNumbers(
  rows: Rows,
  known: KnownProcedure,
  now: string,
  settings: GateSettings,
): Case & { numbers: ProcedureNumbers } {
  const about = buildCase(rows, known, now);
  return { ...about, numbers: computeNumbers(about, now, settings) };
}

function buildCase(rows: Rows, { procedure, status, forced, probation, moves }: KnownProcedure, now: string): Case {
  const runs = executionsOf(rows, familyOfProcedure(procedure.id));
  const good = goodRuns(rows, procedure);
  const history = runs.filter((run) => isWith(run, procedure.id));
  const controls = runs.filter((run) => run.fine && isControlOf(run, procedure));
  const last = moves.findLast(({ from, to }) => from !== to);
  const fresh = status === 'candidate' ? (last?.at ?? '') : '';
  const since = last?.at ?? runs[0]?.at ?? now;
  const lastWhere = (isWanted: (move: ProcedureMove) => boolean): string => moves.findLast(isWanted)?.at ?? '';
  return {
    status,
    since,
    began: lastWhere((move) => move.to === 'candidate' || isConfirmation(move)),
    confirmed: lastWhere(isConfirmation),
    forced,
    probation,
    uses: runs.filter((run) => isUseOf(run, procedure) && run.at > since).map(toTrial),
    successes: new Set(good.map(({ inputs }) => inputs)).size,
    lastSuccess: good.at(-1)?.at ?? null,
    history: history.map(toTrial),
    with: history.filter(({ at }) => at >= fresh).map(toTrial),
    without: runs.filter((run) => run.by === 'model' && !isPlanned(run)).map(toTrial),
    compared: controls.length,
    differing: controls
      .filter(({ differs = [] }) => differs.length > 0)
      .map(({ run, at, differs: words = [] }) => ({ run, at, words })),
  };
}

type Version = Pick<Procedure, 'id' | 'version'>;
const isOf = ({ procedure }: Execution, { id, version }: Version): boolean =>
  procedure?.id === id && procedure.version === version;
const isUseOf = (run: Execution, version: Version): boolean => run.procedure?.arm === 'used' && isOf(run, version);
const isControlOf = (run: Execution, version: Version): boolean =>
  run.procedure?.arm === 'held_back' && isOf(run, version);
const isPlanned = ({ procedure }: Execution): boolean => procedure?.arm === 'used' || procedure?.arm === 'trial';
const isWith = (run: Execution, id: string): boolean => isPlanned(run) && run.procedure?.id === id;
const isConfirmation = ({ to, forced }: ProcedureMove): boolean => to === 'promoted' && forced;
const toTrial = ({ run, at, fine, seen_by, repeated, tokens, seconds }: Execution): Trial => ({
  run,
  at,
  fine,
  seen_by,
  repeated,
  tokens,
  seconds,
});
