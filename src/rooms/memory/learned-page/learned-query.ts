/**
 * The query about what was learned lately, with how each of it can be undone.
 *
 * 1. The words of a fact that a person removed are not repeated.
 */
import { z } from 'zod';
import { storedFact } from '../fact-view.ts';
import { knownProcedure } from '../../../kit/learning/procedure-rows.ts';
import { UNDOABLE } from '../distil/undo-change.ts';
import type { Line, Pen } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { listEvents } from '../../../kit/views/events-query.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { LearnedAnswer, type LearnedLine } from '../page/memory-answers.ts';

const DAY_MS = 86_400_000;
const MOST_SHOWN = 200;

/** What is read, the latest of each. */
const READ: readonly { pen: Pen; type: string }[] = [
  { pen: 'maintenance', type: 'fact.*' },
  { pen: 'maintenance', type: 'procedure.*' },
  { pen: 'maintenance', type: 'change.undone' },
  { pen: 'run', type: 'fact.*' },
];

export const learnedQuery = defineQuery({
  params: z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(7).describe('How many days back.') }),
  answer: LearnedAnswer,
  read: ({ home, params, views, signal }) =>
    views(async (rows) => {
      const since = new Date(Date.now() - params.days * DAY_MS).toISOString();
      const read: Line[][] = [];
      for (const each of READ) read.push(await listEvents(rows, home.ledgers, { ...each, limit: MOST_SHOWN }, signal));
      const events = read.flat().filter(({ at }) => at >= since);
      const undone = new Set(events.flatMap(({ type, data }) => (type === 'change.undone' ? [data.change] : [])));
      const changes = events
        .filter(({ type }) => type !== 'change.undone')
        .map((event) => toLearned(rows, event, event.pen === 'maintenance' && undone.has(event.seq)))
        .toSorted((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1));
      return {
        since,
        changes: changes.slice(0, MOST_SHOWN),
        complete:
          changes.length <= MOST_SHOWN && read.every((all) => all.length < MOST_SHOWN || (all[0]?.at ?? '') < since),
      };
    }),
});

function toLearned(rows: Rows, event: Line, isUndone: boolean): LearnedLine {
  const { pen, seq, at, type, run } = event;
  const fact = factIn(event);
  const procedure = procedureIn(event);
  return {
    pen,
    seq,
    at,
    type,
    run,
    text: isRemoved(rows, fact) && type !== 'fact.forgotten' ? 'A fact that was removed since.' : describeEvent(event),
    fact,
    procedure,
    undo: isUndone ? null : undoOf(rows, event, { fact, procedure }),
    undone: isUndone,
  };
}

function factIn({ type, data }: Line): string | null {
  if (type === 'fact.kept') return data.id;
  if (type === 'fact.reworded') return data.fact;
  return type === 'fact.forgotten' ? (data.facts[0] ?? null) : null;
}

function procedureIn({ type, data }: Line): string | null {
  if (type === 'procedure.drafted') return data.procedure.id;
  return type === 'procedure.moved' ? data.procedure : null;
}

/** Whether a person removed the fact, or undid it (1). */
function isRemoved(rows: Rows, fact: string | null): boolean {
  const state = fact === null ? undefined : storedFact(rows, fact)?.state;
  return state?.kind === 'forgotten' && (state.why === 'deleted' || state.why === 'undone');
}

function undoOf(
  rows: Rows,
  { pen, type, data }: Line,
  { fact, procedure }: { fact: string | null; procedure: string | null },
): LearnedLine['undo'] {
  if (procedure !== null) {
    const isUsed = type === 'procedure.moved' && data.to === 'promoted';
    return isUsed && knownProcedure(rows, procedure)?.status === 'promoted' ? 'demote' : null;
  }
  if (isRemoved(rows, fact)) return null;
  if (pen === 'maintenance') return (UNDOABLE as readonly string[]).includes(type) ? 'take_back' : null;
  return type === 'fact.kept' && fact !== null && storedFact(rows, fact)?.state.kind === 'valid' ? 'forget' : null;
}
