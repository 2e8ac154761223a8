/** The stored entries of TODOS.md, and the requests that follow from a tick. */
import { markPageOutdated } from '../../../kit/learning/learning.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Rows } from '../../../core/schema/rows.ts';

export const TODOS = 'brain/TODOS.md';

/**
 * ask: an approval or a question. need: something that people have to install. failed: a task that nobody followed up.
 * paused: a task that a person has paused. schedule: one whose runs keep failing, or whose file cannot be read.
 */
export type TodoKind = 'ask' | 'need' | 'failed' | 'paused' | 'schedule';

export type Todo = {
  kind: TodoKind;
  /** The wait, the requirement, the run or the schedule. */
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
  /** A person ticked it, and the worker has not received that yet. */
  isTicked?: boolean;
  remark?: string;
};

const KINDS: readonly TodoKind[] = ['ask', 'need', 'failed', 'paused', 'schedule'];

export const markOfTodo = ({ kind, of }: Pick<Todo, 'kind' | 'of'>): string => `${kind}:${of}`;

function todoKey(mark: string): string {
  return `todo/${mark}`;
}

export const findTodo = (rows: Rows, mark: string): Todo | undefined => rows.get<Todo>(todoKey(mark));

export function storeTodo(rows: Rows, todo: Todo): void {
  rows.put(todoKey(markOfTodo(todo)), todo);
  markPageOutdated(rows, TODOS);
}

export function removeTodo(rows: Rows, mark: string): void {
  if (findTodo(rows, mark) === undefined) return;
  rows.put(todoKey(mark), null);
  markPageOutdated(rows, TODOS);
}

/** The oldest first. */
export function listTodos(rows: Rows, kind: TodoKind): Todo[] {
  return [...rows.each<Todo>(todoKey(`${kind}:`))].map(([, todo]) => todo).toSorted((a, b) => a.seq - b.seq);
}

/** The requests of a tick: never an approval and never an answer. */
export function intakesForTick(rows: Rows, mark: string, text: string): Intake[] {
  const todo = findTodo(rows, mark);
  if (todo === undefined || !KINDS.includes(todo.kind)) return [];
  const tick: Intake = { kind: 'tick', todo: mark, text: text.slice(0, 20_000) };
  switch (todo.kind) {
    case 'ask':
      return [];
    case 'need':
      return [tick, { kind: 'resolve', name: todo.of, by: 'a tick in TODOS.md' }];
    case 'failed':
    case 'paused':
    case 'schedule':
      return [tick];
  }
}
