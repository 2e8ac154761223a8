/** Everything that is known, with its origin, what changed since a moment, and the commands that remove or restore it. */
import {
  currentKnowledge,
  endedKnowledge,
  type FactEnding,
  factText,
  habitMoves,
  type HabitMove,
  habits,
  knowledgeKind,
} from './about-query.ts';
import type { StoredFact } from './fact-view.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import type { Habit, KnowledgeChange, KnownLine, MemoryAbout } from '../../core/schema/knowledge.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { findOrigin, type Ledgers, readEvent } from './fact-origin.ts';

type Period = { since: string; now: number };
type Source = { rows: Rows; ledgers: Ledgers; since: string };

/** With a namespace, only facts of that topic. */
export async function describeKnowledge(
  rows: Rows,
  ledgers: Ledgers,
  { since, now, namespace }: Period & { namespace?: string | undefined },
): Promise<MemoryAbout> {
  const source = { rows, ledgers, since };
  const isWanted = (each: string): boolean => namespace === undefined || each === namespace;
  const facts = currentKnowledge(rows, now).filter(({ fact }) => isWanted(fact.namespace));
  const endings = endedKnowledge(rows, since, now).filter((each) => isWanted(each.row.fact.namespace));
  const known = await Promise.all(facts.map((row) => toLine(source, row)));
  const ended = await Promise.all(endings.map((ending) => toEnding(source, ending)));
  const replaced = new Set(ended.flatMap((each) => (each.change === 'superseded' ? [each.by] : [])));
  const learned = known.filter(({ learned: at, id }) => at >= since && !replaced.has(id)).map(toLearned);
  const moves = namespace === undefined ? habitMoves(rows, since).map(toHabitChange) : [];
  return {
    since,
    known,
    habits: namespace === undefined ? habits(rows).map(toHabit) : [],
    changes: [...learned, ...ended, ...moves].toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1)),
  };
}

async function toLine({ rows, ledgers }: Source, row: StoredFact): Promise<KnownLine> {
  const { id, namespace, expires = null, evidence } = row.fact;
  const first = row.places[0];
  const stored = first === undefined ? null : await readEvent(ledgers[first.pen], first.seq);
  return {
    id,
    kind: knowledgeKind(row),
    namespace,
    text: factText(row),
    learned: stored?.at ?? row.since,
    expires,
    why: await findOrigin(rows, ledgers, evidence),
    forget: `oka memory forget ${id}`,
  };
}

const toLearned = ({ id, text, learned, why, forget }: KnownLine): KnowledgeChange => ({
  at: learned,
  change: 'learned',
  id,
  text,
  why,
  forget,
});

async function toEnding({ rows, ledgers }: Source, ending: FactEnding): Promise<KnowledgeChange> {
  const { at, row } = ending;
  const { id } = row.fact;
  if (ending.change === 'forgotten') return { at, change: 'forgotten', id, text: ending.text, reason: ending.reason };
  const { by } = ending;
  const isGone = by.state.kind === 'forgotten';
  return {
    at,
    change: 'superseded',
    id,
    before: factText(row),
    by: by.fact.id,
    text: isGone ? null : factText(by),
    why: await findOrigin(rows, ledgers, by.fact.evidence),
    undo: isGone ? null : await undoCommand(ledgers, by, at),
  };
}

/** Only changes that maintenance made can be undone by their number. */
async function undoCommand(ledgers: Ledgers, { places }: StoredFact, at: string): Promise<string | null> {
  for (const { pen, seq } of places)
    if (pen === 'maintenance' && (await readEvent(ledgers.maintenance, seq))?.at === at)
      return `oka memory undo ${seq}`;
  return null;
}

function toHabit({ procedure, forced, moves }: KnownProcedure): Habit {
  const move = moves.findLast(({ to }) => to === 'promoted');
  const runs = [...new Set(procedure.evidence.flatMap(({ run }) => run ?? []))];
  return {
    id: procedure.id,
    title: procedure.title,
    since: move?.at ?? null,
    runs,
    why: forced ? 'you asked for it' : (move?.reason ?? ''),
    forget: demote(procedure.id),
  };
}

const demote = (id: string): string => `oka procedures demote ${id}`;

function toHabitChange({ known: { procedure, status }, move }: HabitMove): KnowledgeChange {
  const { id, title } = procedure;
  const undo = move.to === 'promoted' && status === 'promoted' ? demote(id) : null;
  return { at: move.at, change: 'habit', id, title, to: move.to, reason: move.reason, undo };
}
