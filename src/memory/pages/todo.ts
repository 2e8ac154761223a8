/** Entries of TODOS.md as the book keeps them, and what a tick asks for. */
import type { Intake } from '../../schema/intake.ts';
import type { Book } from '../book.ts';

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

export const todoOf = (book: Book, mark: string): Todo | undefined => book.get<Todo>(keyOf(mark));

export function putTodo(book: Book, todo: Todo): void {
  book.put(keyOf(markOf(todo)), todo);
  book.touch(TODOS);
}

export function closeTodo(book: Book, mark: string): void {
  if (todoOf(book, mark) === undefined) return;
  book.put(keyOf(mark), null);
  book.touch(TODOS);
}

/** The oldest first. */
export function todosOf(book: Book, kind: TodoKind): Todo[] {
  return [...book.each<Todo>(keyOf(`${kind}:`))].map(([, todo]) => todo).toSorted((a, b) => a.seq - b.seq);
}

/** What a tick asks for: never an approval, never an answer. */
export function tickOf(book: Book, mark: string, text: string): Intake[] {
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
