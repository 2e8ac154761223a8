/**
 * Owns: what an edit of a page asks for. Pure. A page decides nothing: all that comes of an edit is a request, taken in
 * and checked like every other.
 *
 * 1. A tick in TODOS.md says that something is done with. It never approves and never answers.
 * 2. A line of learnings that is struck out is forgotten; one that is changed, or is new, is remembered as the word of a
 *    person, the changed one in place of what was there.
 * 3. Nothing is asked for on other pages: lines there are notes.
 */
import type { Intake } from '../../schema/intake.ts';
import type { Rows } from '../../schema/rows.ts';
import type { PageEdit } from './edits.ts';
import { factIn, factLines, factMark, factOfMark, topicOf } from './own-fact.ts';
import { isTicked } from './prose.ts';
import { tickOf, TODOS } from './todo.ts';

/** `book` is as it was before the edit was taken in. */
export function intakesFor(edit: Pick<PageEdit, 'page' | 'lines' | 'removed' | 'changed'>, book: Rows): Intake[] {
  if (edit.page === TODOS)
    return edit.changed.filter(({ text }) => isTicked(text)).flatMap(({ mark, text }) => tickOf(book, mark, text));
  return topicOf(edit.page) === null ? [] : learned(edit, book);
}

const AT_ONCE = 1000;

function learned({ page, lines, removed, changed }: PageEdit, book: Rows): Intake[] {
  const before = new Set(
    (book.get<string[]>(`people/lines/${page}`) ?? []).flatMap((line) => factMark(page, line) ?? []),
  );
  const reworded = changed.flatMap(({ mark, text }) => {
    const old = factOfMark(mark);
    const fact = old === null ? null : factIn(page, text, [old]);
    return fact === null || fact.id === old ? [] : [fact];
  });
  const said = factLines(lines).flatMap((line) => factIn(page, line) ?? []);
  const known = new Set(reworded.map(({ id }) => id));
  const fresh = said.filter(({ id }) => !known.has(id) && !before.has(`fact:${id}`) && known.add(id));
  const kept = new Set(said.map(({ id }) => id));
  const gone = removed.flatMap((mark) => factOfMark(mark) ?? []).filter((id) => !kept.has(id) && !known.has(id));
  return [
    ...[...reworded, ...fresh].map((fact): Intake => ({ kind: 'remember', fact })),
    ...inPieces(gone).map((facts): Intake => ({ kind: 'forget', facts, why: 'deleted' })),
  ];
}

const inPieces = (facts: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(facts.length / AT_ONCE) }, (_, piece) =>
    facts.slice(piece * AT_ONCE, (piece + 1) * AT_ONCE),
  );
