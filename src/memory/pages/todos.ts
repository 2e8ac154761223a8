/**
 * Owns: brain/TODOS.md: what waits for a person, told from the ledger.
 *
 * 1. An entry comes and goes by events. A tick is a request; until it is taken in, the entry is only not shown.
 * 2. A tick beside a question or an approval does nothing but bring a remark: those are answered by name.
 */
import type { Event } from '../../schema/event.ts';
import { type Page, type PageLine, type Part, plain } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { rootOf, taskRecordOf } from '../task-record.ts';
import { aside, code, counted, isTicked as isTickedLine, listed, paragraph, said, section } from './prose.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';
import { closeTodo, markOf, putTodo, type Todo, todoOf, TODOS, type TodoKind, todosOf } from './todo.ts';

export const todos: Part = {
  name: 'todos',
  take: (read, book) => void handleByType(HANDLERS)(read.event, book),
  page: (page, book) => (page === TODOS ? pageOf(book) : undefined),
};

const HANDLERS: Handlers<[Rows], void> = {
  'wait.opened': asked,
  'wait.closed': ({ data }, book) => closeTodo(book, `ask:${data.wait}`),
  'requirement.opened': needed,
  'requirement.resolved': ({ data }, book) => closeTodo(book, `need:${data.name}`),
  'requirement.reopened': ({ data }, book) =>
    change(book, `need:${data.name}`, { isTicked: false, remark: `looked for, not there: ${brief(data.reason)}` }),
  'run.started': begun,
  'run.ended': ended,
  'run.corrected': ({ run }, book) => closeTodo(book, `failed:${run}`),
  'run.paused': paused,
  'run.resumed': ({ run }, book) => closeTodo(book, `paused:${run}`),
  'intake.received': ({ data }, book) => data.intake.kind === 'tick' && ticked(data.intake.todo, book),
  'page.edited': edited,
};

const LONGEST = 240;
const MOST_ASKED = 100;
const brief = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST);

const aboutRun = ({ run, seq }: Event, book: Rows): Pick<Todo, 'run' | 'seq' | 'task'> => {
  const root = run === null ? null : rootOf(book, run);
  return { run, seq, task: root === null ? '' : brief(taskRecordOf(book, root)?.title ?? root) };
};

function asked(event: EventOf<'wait.opened'>, book: Rows): void {
  const { wait, for: what } = event.data;
  if (what.kind !== 'approval' && what.kind !== 'question') return;
  const isQuestion = what.kind === 'question';
  const options = isQuestion ? (what.options ?? []).slice(0, 5).map(brief) : [];
  const text = isQuestion ? what.text : (what.asked?.command ?? what.text);
  const how = isQuestion ? 'answer' : 'approve';
  putTodo(book, { kind: 'ask', of: wait, ...aboutRun(event, book), text: brief(text), how, options });
  const key = `todo-asks/${event.run}`;
  book.put(key, [...(book.get<string[]>(key) ?? []), wait].slice(-MOST_ASKED));
}

function needed(event: EventOf<'requirement.opened'>, book: Rows): void {
  const { name, reason } = event.data.requirement;
  const before = todoOf(book, `need:${name}`);
  const others = before === undefined || event.run === null ? [] : [...(before.others ?? []), event.run].slice(-20);
  const entry: Todo = { kind: 'need', of: name, ...aboutRun(event, book), text: brief(reason), how: 'bring' };
  putTodo(book, before === undefined ? entry : { ...before, others, isTicked: false });
}

/** A run that continues a failed one follows it up. */
function begun({ data }: EventOf<'run.started'>, book: Rows): void {
  if (data.parent !== null && data.depth === 0) closeTodo(book, `failed:${data.parent}`);
}

function ended(event: EventOf<'run.ended'>, book: Rows): void {
  const { run } = event;
  if (run === null) return;
  closeTodo(book, `paused:${run}`);
  for (const wait of book.get<string[]>(`todo-asks/${run}`) ?? []) closeTodo(book, `ask:${wait}`);
  book.put(`todo-asks/${run}`, null);
  const task = taskRecordOf(book, run);
  if (event.data.status !== 'failed' || task === undefined || task.corrected !== null) return;
  putTodo(book, { kind: 'failed', of: run, ...aboutRun(event, book), text: brief(event.data.reason), how: 'look' });
  forgetOldest(book);
}

/** Of very many the oldest are no longer told; they go a hundred at a time, so that looking for them costs little. */
const MOST_FAILED = 500;
function forgetOldest(book: Rows): void {
  const since = (book.get<number>('todos/failed') ?? 0) + 1;
  book.put('todos/failed', since % 100);
  if (since < 100) return;
  for (const todo of todosOf(book, 'failed').slice(0, -MOST_FAILED)) closeTodo(book, markOf(todo));
}

function paused(event: EventOf<'run.paused'>, book: Rows): void {
  const { run } = event;
  if (run === null || taskRecordOf(book, run) === undefined) return;
  putTodo(book, { kind: 'paused', of: run, ...aboutRun(event, book), text: brief(event.data.reason), how: 'look' });
}

function ticked(mark: string, book: Rows): void {
  const todo = todoOf(book, mark);
  if (todo?.kind === 'failed' || todo?.kind === 'paused') closeTodo(book, mark);
}

function edited({ data }: EventOf<'page.edited'>, book: Rows): void {
  if (data.page !== TODOS) return;
  for (const { mark, text } of data.changed) {
    const kind = todoOf(book, mark)?.kind;
    if (!isTickedLine(text) || kind === undefined) continue;
    if (kind === 'ask') change(book, mark, { remark: 'a tick does not answer this; the command does' });
    else change(book, mark, { isTicked: true });
  }
}

function change(book: Rows, mark: string, with_: Partial<Todo>): void {
  const todo = todoOf(book, mark);
  if (todo !== undefined) putTodo(book, { ...todo, ...with_ });
}

const SECTIONS: readonly { kind: TodoKind; heading: string; told: (count: number) => string }[] = [
  { kind: 'ask', heading: 'Waiting for your word', told: (n) => `${counted(n, 'question')} for you` },
  { kind: 'need', heading: 'To be brought', told: (n) => `${counted(n, 'thing')} to bring` },
  { kind: 'paused', heading: 'Held', told: (n) => `${counted(n, 'task')} held` },
  { kind: 'failed', heading: 'Failed, and nobody followed up', told: (n) => `${counted(n, 'failed task')} to look at` },
];

const MOST_SHOWN = 100;

function pageOf(book: Rows): Page {
  const found = SECTIONS.map((each) => ({
    ...each,
    todos: todosOf(book, each.kind).filter(({ isTicked }) => isTicked !== true),
  }));
  const open = found.filter(({ todos }) => todos.length > 0);
  const headline =
    open.length === 0
      ? 'Nothing waits for you.'
      : `There ${beginning(open[0]?.todos.length ?? 0)} ${listed(open.map(({ told, todos }) => told(todos.length)))}.`;
  const lines = open.flatMap(({ heading, todos }) =>
    section(heading, [...earlier(todos.length), ...todos.slice(-MOST_SHOWN).map(lineOf)]),
  );
  return {
    lines: [plain('# To do'), plain(''), ...paragraph(`${headline} Tick a box when something is done with.`), ...lines],
  };
}

const beginning = (count: number): string => (count === 1 ? 'is' : 'are');

const earlier = (count: number): PageLine[] =>
  count <= MOST_SHOWN ? [] : [plain(`The last ${MOST_SHOWN} of ${count}; ${code('oka runs')} lists all.`), plain('')];

function lineOf(todo: Todo): PageLine {
  const { run, seq, remark } = todo;
  const evidence = run === null ? `event ${seq}` : `${run}, ${seq}`;
  const note = remark === undefined ? '' : ` — ${said(remark)}`;
  return { text: `- [ ] ${sentenceOf(todo)}${note}${aside(evidence)}`, mark: markOf(todo) };
}

function sentenceOf({ of, run, text, task, how, options = [], others = [], kind }: Todo): string {
  const about = task === '' ? '' : ` (${said(task, 80)})`;
  switch (how) {
    case 'approve':
      return `Allow ${code(text)}?${about} ${code(`oka approve ${of}`)} or ${code(`oka deny ${of}`)}`;
    case 'answer': {
      const choice =
        options.length === 0
          ? ''
          : ` [${options.map((each) => said(each, 60)).join(' / ')}]`.replaceAll(/[[\]]/g, (each) => `\\${each}`);
      return `${said(text)}${choice}${about} ${code(`oka answer ${of} "…"`)}`;
    }
    case 'bring': {
      const waiting = others.length === 0 ? about : ` (${said(task, 80)} and ${counted(others.length, 'other step')})`;
      return `Bring ${code(of)}: ${said(text)}${waiting} ${code(`oka requirements resolve ${of}`)}`;
    }
    case 'look':
      return kind === 'paused'
        ? `**${said(task, 80)}** is held: ${said(text)} ${code(`oka resume ${run ?? of}`)}`
        : `**${said(task, 80)}** failed: ${said(text, 160)} [result](../../workspace/outbox/${of}/RESULT.md), ${code(`oka resume ${of}`)}`;
  }
}
