/** Entries of TODOS.md as the book keeps them, and what a tick asks for. */
import { touchPage } from '../learning.ts';
import type { Intake } from '../../schema/intake.ts';
import type { Rows } from '../../schema/rows.ts';

export const TODOS = 'brain/TODOS.md';

/**
 * ask: an approval or a question. need: something that people have to bring. failed: a task that nobody followed up.
 * paused: a task that a person holds.
 */
export type TodoKind = 'ask' | 'need' | 'failed' | 'paused';

export type Todo = {
  kind: TodoKind;
  /** The wait, the requirement or the run. */
  of: string;
  seq: number;
  run: string | null;
  /** The task that it is about. */
  task: string;
  text: string;
  how: 'approve' | 'answer' | 'bring' | 'look';
  options?: string[];
  /** Other runs that wait for the same. */
  others?: string[];
  /** A person ticked it, and the worker has not heard of it yet. */
  isTicked?: boolean;
  remark?: string;
};

const KINDS: readonly TodoKind[] = ['ask', 'need', 'failed', 'paused'];

export const markOf = ({ kind, of }: Pick<Todo, 'kind' | 'of'>): string => `${kind}:${of}`;

function keyOf(mark: string): string {
  return `todo/${mark}`;
}

export const todoOf = (book: Rows, mark: string): Todo | undefined => book.get<Todo>(keyOf(mark));

export function putTodo(book: Rows, todo: Todo): void {
  book.put(keyOf(markOf(todo)), todo);
  touchPage(book, TODOS);
}

export function closeTodo(book: Rows, mark: string): void {
  if (todoOf(book, mark) === undefined) return;
  book.put(keyOf(mark), null);
  touchPage(book, TODOS);
}

/** The oldest first. */
export function todosOf(book: Rows, kind: TodoKind): Todo[] {
  return [...book.each<Todo>(keyOf(`${kind}:`))].map(([, todo]) => todo).toSorted((a, b) => a.seq - b.seq);
}

/** What a tick asks for: never an approval, never an answer. */
export function tickOf(book: Rows, mark: string, text: string): Intake[] {
  const todo = todoOf(book, mark);
  if (todo === undefined || !KINDS.includes(todo.kind)) return [];
  const tick: Intake = { kind: 'tick', todo: mark, text: text.slice(0, 20_000) };
  switch (todo.kind) {
    case 'ask':
      return [];
    case 'need':
      return [tick, { kind: 'resolve', name: todo.of, by: 'a tick in TODOS.md' }];
    case 'failed':
    case 'paused':
      return [tick];
  }
}
