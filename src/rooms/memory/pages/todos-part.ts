/**
 * Owns: brain/TODOS.md: what waits for a person, folded from the ledger.
 *
 * 1. An entry comes and goes by events. A tick is a request; until it is folded, the entry is only hidden.
 * 2. A tick at a question or an approval only adds a remark: those are answered by name.
 */
import type { Event } from '../../../core/schema/event.ts';
import type { Page, PageLine, Part } from '../../../core/schema/learning-part.ts';
import { plain } from '../../../kit/learning/learning.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { rootOf, taskRecordOf } from '../../../kit/learning/task-record.ts';
import {
  toNote,
  toInlineCode,
  formatCount,
  isTicked as isTickedLine,
  joinList,
  wrapParagraph,
  escapeText,
  renderSection,
} from '../../../kit/learning/page-prose.ts';
import { adviceFor } from './failed-todo.ts';
import { countScheduledEnd, scheduleTodos } from './schedule-todos.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';
import {
  removeTodo,
  markOfTodo,
  storeTodo,
  type Todo,
  findTodo,
  TODOS,
  type TodoKind,
  listTodos,
} from './todo-entry.ts';

export const todosPart: Part = {
  name: 'todos',
  take: (read, rows) => void handleByType(HANDLERS)(read.event, rows),
  page: (page, rows) => (page === TODOS ? renderTodosPage(rows) : undefined),
};

const HANDLERS: Handlers<[Rows], void> = {
  'wait.opened': recordWait,
  'wait.closed': recordAnswer,
  'requirement.opened': recordRequirement,
  'requirement.resolved': ({ data }, rows) => removeTodo(rows, `need:${data.name}`),
  'requirement.reopened': ({ data }, rows) =>
    updateTodo(rows, `need:${data.name}`, {
      isTicked: false,
      remark: `checked, still missing: ${shorten(data.reason)}`,
    }),
  'run.started': recordStart,
  'run.ended': recordEnd,
  'run.corrected': ({ run }, rows) => removeTodo(rows, `failed:${run}`),
  'run.paused': recordPause,
  'run.resumed': ({ run }, rows) => removeTodo(rows, `paused:${run}`),
  'intake.received': ({ data }, rows) => data.intake.kind === 'tick' && closeTicked(data.intake.todo, rows),
  'page.edited': recordTicks,
  ...scheduleTodos,
};

const MAX_LENGTH = 240;
const MAX_ASKED = 100;
const shorten = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LENGTH);

const aboutRun = ({ run, seq }: Event, rows: Rows): Pick<Todo, 'run' | 'seq' | 'task'> => {
  const root = run === null ? null : rootOf(rows, run);
  return { run, seq, task: root === null ? '' : shorten(taskRecordOf(rows, root)?.title ?? root) };
};

function recordWait(event: EventOf<'wait.opened'>, rows: Rows): void {
  const { wait, for: what } = event.data;
  if (what.kind !== 'approval' && what.kind !== 'question') return;
  const isQuestion = what.kind === 'question';
  const options = isQuestion ? (what.options ?? []).slice(0, 5).map(shorten) : [];
  const text = isQuestion ? what.text : (what.asked?.command ?? what.text);
  const how = isQuestion ? 'answer' : 'approve';
  storeTodo(rows, { kind: 'ask', of: wait, ...aboutRun(event, rows), text: shorten(text), how, options });
  const key = `todo-asks/${event.run}`;
  rows.put(key, [...(rows.get<string[]>(key) ?? []), wait].slice(-MAX_ASKED));
}

function recordAnswer({ run, data }: EventOf<'wait.closed'>, rows: Rows): void {
  removeTodo(rows, `ask:${data.wait}`);
  if (run !== null && data.answer.verdict === 'denied') rows.put(`todo-denied/${rootOf(rows, run)}`, true);
}

function recordRequirement(event: EventOf<'requirement.opened'>, rows: Rows): void {
  const { name, reason } = event.data.requirement;
  const before = findTodo(rows, `need:${name}`);
  const others = before === undefined || event.run === null ? [] : [...(before.others ?? []), event.run].slice(-20);
  const entry: Todo = { kind: 'need', of: name, ...aboutRun(event, rows), text: shorten(reason), how: 'bring' };
  storeTodo(rows, before === undefined ? entry : { ...before, others, isTicked: false });
}

/** A run that continues a failed one follows it up. */
function recordStart({ data }: EventOf<'run.started'>, rows: Rows): void {
  if (data.parent !== null && data.depth === 0) removeTodo(rows, `failed:${data.parent}`);
}

function recordEnd(event: EventOf<'run.ended'>, rows: Rows): void {
  const { run } = event;
  if (run === null) return;
  countScheduledEnd(event, rows);
  removeTodo(rows, `paused:${run}`);
  for (const wait of rows.get<string[]>(`todo-asks/${run}`) ?? []) removeTodo(rows, `ask:${wait}`);
  rows.put(`todo-asks/${run}`, null);
  const isDenied = rows.get<boolean>(`todo-denied/${run}`) === true && event.data.reason.includes('approval denied');
  rows.put(`todo-denied/${run}`, null);
  if (isDenied) return; // whoever denied it knows how it ended
  const task = taskRecordOf(rows, run);
  if (event.data.status !== 'failed' || task === undefined || task.corrected !== null) return;
  storeTodo(rows, { kind: 'failed', of: run, ...aboutRun(event, rows), text: shorten(event.data.reason), how: 'look' });
  dropOldestFailed(rows);
}

/** Of very many, the oldest are no longer listed; they are dropped a hundred at a time to keep that cheap. */
const MAX_FAILED = 500;
function dropOldestFailed(rows: Rows): void {
  const since = (rows.get<number>('todos/failed') ?? 0) + 1;
  rows.put('todos/failed', since % 100);
  if (since < 100) return;
  for (const todo of listTodos(rows, 'failed').slice(0, -MAX_FAILED)) removeTodo(rows, markOfTodo(todo));
}

function recordPause(event: EventOf<'run.paused'>, rows: Rows): void {
  const { run } = event;
  if (run === null || taskRecordOf(rows, run) === undefined) return;
  storeTodo(rows, { kind: 'paused', of: run, ...aboutRun(event, rows), text: shorten(event.data.reason), how: 'look' });
}

function closeTicked(mark: string, rows: Rows): void {
  const todo = findTodo(rows, mark);
  if (todo?.kind === 'failed' || todo?.kind === 'paused' || todo?.kind === 'schedule') removeTodo(rows, mark);
}

function recordTicks({ data }: EventOf<'page.edited'>, rows: Rows): void {
  if (data.page !== TODOS) return;
  for (const { mark, text } of data.changed) {
    const kind = findTodo(rows, mark)?.kind;
    if (!isTickedLine(text) || kind === undefined) continue;
    if (kind === 'ask') updateTodo(rows, mark, { remark: 'a tick does not answer this; the command does' });
    else updateTodo(rows, mark, { isTicked: true });
  }
}

function updateTodo(rows: Rows, mark: string, with_: Partial<Todo>): void {
  const todo = findTodo(rows, mark);
  if (todo !== undefined) storeTodo(rows, { ...todo, ...with_ });
}

const SECTIONS: readonly { kind: TodoKind; heading: string; phrase: (count: number) => string }[] = [
  { kind: 'ask', heading: 'Waiting for your answer', phrase: (n) => `${formatCount(n, 'question')} for you` },
  { kind: 'need', heading: 'To install', phrase: (n) => `${formatCount(n, 'thing')} to install` },
  { kind: 'paused', heading: 'Paused', phrase: (n) => `${formatCount(n, 'task')} paused` },
  { kind: 'schedule', heading: 'Schedules to check', phrase: (n) => `${formatCount(n, 'schedule')} to check` },
  {
    kind: 'failed',
    heading: 'Failed, and nobody followed up',
    phrase: (n) => `${formatCount(n, 'failed task')} to check`,
  },
];

const MAX_SHOWN = 100;

function renderTodosPage(rows: Rows): Page {
  const found = SECTIONS.map((each) => ({
    ...each,
    todos: listTodos(rows, each.kind).filter(({ isTicked }) => isTicked !== true),
  }));
  const open = found.filter(({ todos }) => todos.length > 0);
  const headline =
    open.length === 0
      ? 'Nothing waits for you.'
      : `There ${verbFor(open[0]?.todos.length ?? 0)} ${joinList(open.map(({ phrase, todos }) => phrase(todos.length)))}.`;
  const lines = open.flatMap(({ heading, todos }) =>
    renderSection(heading, [...omittedLine(todos.length), ...todos.slice(-MAX_SHOWN).map(todoLine)]),
  );
  return {
    lines: [
      plain('# To do'),
      plain(''),
      ...wrapParagraph(`${headline} Tick a box when something is settled.`),
      ...lines,
    ],
  };
}

const verbFor = (count: number): string => (count === 1 ? 'is' : 'are');

const omittedLine = (count: number): PageLine[] =>
  count <= MAX_SHOWN
    ? []
    : [plain(`The last ${MAX_SHOWN} of ${count}; ${toInlineCode('oka runs')} lists all.`), plain('')];

function todoLine(todo: Todo): PageLine {
  const { run, seq, remark } = todo;
  const evidence = run === null ? `event ${seq}` : `${run}, ${seq}`;
  const note = remark === undefined ? '' : ` — ${escapeText(remark)}`;
  return { text: `- [ ] ${describeTodo(todo)}${note}${toNote(evidence)}`, mark: markOfTodo(todo) };
}

function describeTodo({ of, run, text, task, how, options = [], others = [], kind }: Todo): string {
  const about = task === '' ? '' : ` (${escapeText(task, 80)})`;
  switch (how) {
    case 'approve':
      return `Allow ${toInlineCode(text)}?${about} ${toInlineCode(`oka approve ${of}`)} or ${toInlineCode(`oka deny ${of}`)}`;
    case 'answer': {
      const choice =
        options.length === 0
          ? ''
          : ` [${options.map((each) => escapeText(each, 60)).join(' / ')}]`.replaceAll(/[[\]]/g, (each) => `\\${each}`);
      return `${escapeText(text)}${choice}${about} ${toInlineCode(`oka answer ${of} "…"`)}`;
    }
    case 'bring': {
      const waiting =
        others.length === 0 ? about : ` (${escapeText(task, 80)} and ${formatCount(others.length, 'other step')})`;
      return `Install ${toInlineCode(of)}: ${escapeText(text)}${waiting} ${toInlineCode(`oka requirements resolve ${of}`)}`;
    }
    case 'look':
      if (kind === 'schedule')
        return `The schedule **${escapeText(task, 80)}**: ${escapeText(text)} ${toInlineCode('oka schedule list')}`;
      return kind === 'paused'
        ? `**${escapeText(task, 80)}** is paused: ${escapeText(text)} ${toInlineCode(`oka resume ${run ?? of}`)}`
        : describeFailed(of, text, task);
  }
}

/** What a person can do comes after why it failed, which need not say how often a planner was asked. */
function describeFailed(of: string, text: string, task: string): string {
  const { why, todo, command } = adviceFor(text, of);
  const name = `**${escapeText(task, 80)}** ([result](../../workspace/outbox/${of}/RESULT.md))`;
  return `${name} failed: ${escapeText(why.replace(/[.:]$/, ''), 160)}. ${escapeText(todo)}: ${toInlineCode(command)}`;
}
