/**
 * Owns: how procedures stand, as maintenance sees it: which have to be judged, and what becomes of them.
 * Does not own: the numbers and the rule (gate.ts), nor what procedures there are (part.ts).
 *
 * 1. Judged is what has new runs, what a person wants otherwise, and once a day everything, since unused ones retire.
 * 2. One promoted procedure for a family of tasks.
 * 3. What a person wants comes first and is marked as such.
 */
import type { Event, NewEvent } from '../../schema/event.ts';
import type { ProcedureMove, ProcedureStatus } from '../../schema/procedure.ts';
import type { Part, Pass } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { type Execution, executionsOf, familyOf } from './execution.ts';
import { type Case, type GateSettings, judged, numbersOf, type Trial } from './gate.ts';
import type { KnownProcedure } from './known.ts';
import { familyOfRun } from './part.ts';
import { idsOf, knownProcedure, knownProcedures } from './shelf.ts';

const DUE = 'standing/due/';
const WISH = 'standing/wish/';
const CHECKED = 'standing/checked';

type Wish = { to: Exclude<ProcedureStatus, 'candidate'>; reason: string };

/** Has to come after the part that knows the procedures. */
export function standing(settings: GateSettings): Part {
  return {
    name: 'standing',
    take: ({ event }, book) => (TAKEN[event.type] as Taking<Event['type']> | undefined)?.(event, book),
    conclude: (book, pass) => {
      const wished = [...book.each<Wish>(WISH)].flatMap(([key, wish]) => forced(book, key.slice(WISH.length), wish));
      if (wished.length > 0) return wished.map((move) => eventOf(move(pass, settings)));
      const moves = toJudge(book, pass).flatMap((known) => moved(book, known, pass, settings));
      return moves.filter((move, at) => moves.findIndex((other) => isSameFamily(move, other)) === at).map(eventOf);
    },
  };
}

type Taking<T extends Event['type']> = (event: Extract<Event, { type: T }>, book: Rows) => void;

/** What is not named here says nothing about how a procedure stands. */
const TAKEN: { readonly [T in Event['type']]?: Taking<T> } = {
  'run.ended': judgeFamilySoon,
  'run.corrected': judgeFamilySoon,
  'run.undone': judgeFamilySoon,
  'procedure.drafted': ({ data }, book) => book.put(`${DUE}${data.procedure.id}`, true),
  'procedure.moved': ({ data }, book) => {
    for (const mark of [DUE, WISH]) book.put(`${mark}${data.procedure}`, null);
  },
  'intake.received': ({ data: { intake } }, book) => {
    if (intake.kind === 'procedure') wish(book, intake);
  },
  'slot.came': ({ data, at }, book) => {
    if (data.how !== 'ran') return;
    book.put(CHECKED, at.slice(0, 10));
    for (const key of [...book.each(DUE)].map(([due]) => due)) book.put(key, null);
  },
};

function judgeFamilySoon({ run }: Event, book: Rows): void {
  const family = run === null ? undefined : familyOfRun(book, run);
  for (const id of family === undefined ? [] : idsOf(book, family)) book.put(`${DUE}${id}`, true);
}

function wish(book: Rows, { procedure, to, reason }: Wish & { procedure: string }): void {
  if (knownProcedure(book, procedure) !== undefined) book.put(`${WISH}${procedure}`, { to, reason } satisfies Wish);
}

/** 1. */
function toJudge(book: Rows, { now }: Pass): KnownProcedure[] {
  if (now.slice(0, 10) > (book.get<string>(CHECKED) ?? '')) return knownProcedures(book);
  return [...book.each(DUE)].flatMap(([key]) => knownProcedure(book, key.slice(DUE.length)) ?? []);
}

function moved(book: Rows, known: KnownProcedure, { now }: Pass, settings: GateSettings): ProcedureMove[] {
  const { procedure, status } = known;
  const about = caseOf(book, known, now);
  const numbers = numbersOf(about, now, settings);
  const judgement = isMadeAnew(known)
    ? { to: 'candidate' as const, reason: 'it was made anew from runs that went well' }
    : judged(about, numbers, now, settings);
  if (judgement === null || (judgement.to === 'promoted' && hasOther(book, procedure.id))) return [];
  return [{ procedure: procedure.id, from: status, by: 'gate', forced: false, numbers, ...judgement }];
}

/** 3. A wish that is fulfilled already is none. */
function forced(
  book: Rows,
  id: string,
  { to, reason }: Wish,
): ((pass: Pass, settings: GateSettings) => ProcedureMove)[] {
  const known = knownProcedure(book, id);
  if (known === undefined || known.status === to) return [];
  return [
    ({ now }, settings) => ({
      procedure: id,
      from: known.status,
      to,
      by: 'person',
      forced: true,
      numbers: numbersOf(caseOf(book, known, now), now, settings),
      reason: reason === '' ? 'a person wants it' : reason,
    }),
  ];
}

const eventOf = (move: ProcedureMove): NewEvent => ({ type: 'procedure.moved', data: move });

/** One move of a family at a time: the next one sees it. */
const isSameFamily = (a: ProcedureMove, b: ProcedureMove): boolean => familyOf(a.procedure) === familyOf(b.procedure);

/** 2. */
const hasOther = (book: Rows, id: string): boolean =>
  idsOf(book, familyOf(id)).some((other) => other !== id && knownProcedure(book, other)?.status === 'promoted');

/** A demoted one whose steps went well again in plans of a model has a new version. */
function isMadeAnew({ status, drafted, moves }: KnownProcedure): boolean {
  return status === 'demoted' && drafted > (moves.at(-1)?.seq ?? 0);
}

function caseOf(book: Rows, { procedure, status, forced: isForced, moves }: KnownProcedure, now: string): Case {
  const runs = executionsOf(book, familyOf(procedure.id));
  const good = runs.filter(({ fine, trusted, shape }) => fine && trusted && shape === procedure.shape);
  const last = moves.at(-1);
  const fresh = status === 'candidate' ? (last?.at ?? '') : '';
  return {
    status,
    since: last?.at ?? runs[0]?.at ?? now,
    forced: isForced,
    successes: new Set(good.map(({ inputs }) => inputs)).size,
    lastSuccess: good.at(-1)?.at ?? null,
    with: runs.filter((run) => isWith(run, procedure.id) && run.at >= fresh).map(trialOf),
    without: runs.filter((run) => !isPlanned(run)).map(trialOf),
  };
}

const isPlanned = ({ procedure }: Execution): boolean => procedure?.arm === 'used' || procedure?.arm === 'trial';
const isWith = (run: Execution, id: string): boolean => isPlanned(run) && run.procedure?.id === id;
const trialOf = ({ at, fine, tokens, seconds }: Execution): Trial => ({ at, fine, tokens, seconds });
