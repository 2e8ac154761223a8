/**
 * Owns: which requests follow from an edit of a page. Pure. A page decides nothing: an edit only leads to requests, which
 * are received and checked like all others.
 *
 * 1. A tick in TODOS.md says that something is settled. It never approves and never answers.
 * 2. A removed line of learnings is forgotten; a changed or new line is remembered as a person's statement, and a changed
 *    one supersedes the old fact.
 * 3. Edits of other pages request nothing: lines there are notes.
 */
import type { Intake } from '../../../core/schema/intake.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { PageEdit } from '../../../kit/learning/page-text.ts';
import {
  parseFactLine,
  selectFactLines,
  factMarkOfLine,
  fromFactMark,
  topicOfPage,
} from '../../../kit/learning/own-fact.ts';
import { isTicked } from '../../../kit/learning/page-prose.ts';
import { intakesForTick, TODOS } from './todo-entry.ts';

/** `rows` contains the rows from before the edit. */
export function intakesForEdit(edit: Pick<PageEdit, 'page' | 'lines' | 'removed' | 'changed'>, rows: Rows): Intake[] {
  if (edit.page === TODOS)
    return edit.changed
      .filter(({ text }) => isTicked(text))
      .flatMap(({ mark, text }) => intakesForTick(rows, mark, text));
  return topicOfPage(edit.page) === null ? [] : factIntakes(edit, rows);
}

const MAX_PER_INTAKE = 1000;

function factIntakes({ page, lines, removed, changed }: PageEdit, rows: Rows): Intake[] {
  const before = new Set(
    (rows.get<string[]>(`people/lines/${page}`) ?? []).flatMap((line) => factMarkOfLine(page, line) ?? []),
  );
  const reworded = changed.flatMap(({ mark, text }) => {
    const old = fromFactMark(mark);
    const fact = old === null ? null : parseFactLine(page, text, [old]);
    return fact === null || fact.id === old ? [] : [fact];
  });
  const said = selectFactLines(lines).flatMap((line) => parseFactLine(page, line) ?? []);
  const known = new Set(reworded.map(({ id }) => id));
  const fresh = said.filter(({ id }) => !known.has(id) && !before.has(`fact:${id}`) && known.add(id));
  const kept = new Set(said.map(({ id }) => id));
  const gone = removed.flatMap((mark) => fromFactMark(mark) ?? []).filter((id) => !kept.has(id) && !known.has(id));
  return [
    ...[...reworded, ...fresh].map((fact): Intake => ({ kind: 'remember', fact })),
    ...splitIntoBatches(gone).map((facts): Intake => ({ kind: 'forget', facts, why: 'deleted' })),
  ];
}

const splitIntoBatches = (facts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(facts.length / MAX_PER_INTAKE) }, (_, piece) =>
    facts.slice(piece * MAX_PER_INTAKE, (piece + 1) * MAX_PER_INTAKE),
  );
