/** Owns: what of the ledger belongs into the page of a day, memory/YYYY-MM-DD.md. How it is told: day-page.ts. */
import type { Event } from '../../schema/event.ts';
import type { Part } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { secondsOf, taskRecordOf } from '../task-record.ts';
import {
  add,
  countsOf,
  type Counts,
  dayOfPage,
  type FactTold,
  goOn,
  type MoveTold,
  note,
  type TaskTold,
  type ToolTold,
  type WordTold,
} from './day.ts';
import { dayPage } from './day-page.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';

export function days({ compact_days: compactDays }: { compact_days: number | null }): Part {
  return {
    name: 'days',
    take: (read, book) => {
      goOn(book, read.event, compactDays);
      void handleByType(HANDLERS)(read.event, book);
    },
    page: (page, book) => {
      const day = dayOfPage(page);
      if (day === null) return undefined;
      return countsOf(book, day) === undefined ? null : dayPage(book, day, compactDays);
    },
  };
}

const brief = (text: string, most = 300): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, most);

const HANDLERS: Handlers<[Rows], void> = {
  'run.ended': endTask,
  'run.judged': (event, book) => event.data.verdict === 'rework' && add(book, event, { reworked: 1 }),
  'call.ended': pay,
  'wait.opened': ask,
  'wait.closed': answer,
  'run.corrected': (event, book) =>
    word(event, book, { kind: 'corrected', run: event.run, text: brief(event.data.text) }),
  'run.undone': (event, book) =>
    word(event, book, { kind: 'undone', run: event.run, text: `${event.data.restored.length}` }),
  'intake.received': stop,
  'page.edited': (event, book) => add(book, event, { edited: 1 }),
  'dependency.installed': (event, book) =>
    tool(event, book, { kind: 'installed', ...nameIn(event.data), why: brief(event.data.why, 160) }),
  'dependency.removed': (event, book) =>
    tool(event, book, { kind: 'removed', ...nameIn(event.data), why: brief(event.data.reason, 160) }),
  'requirement.opened': (event, book) => {
    const { name, reason } = event.data.requirement;
    tool(event, book, { kind: 'asked', name, version: '', why: brief(reason, 160) });
  },
  'requirement.resolved': (event, book) =>
    tool(event, book, { kind: 'brought', name: event.data.name, version: '', why: '' }),
  'fact.kept': learn,
  'fact.forgotten': (event, book) => add(book, event, { forgotten: event.data.facts.length }),
  'procedure.moved': move,
  'procedure.chosen': (event, book) => ['used', 'trial'].includes(event.data.arm) && add(book, event, { reused: 1 }),
  'worker.started': start,
  'worker.stopped': (_, book) => book.put('days/worker', null),
  'ledger.repaired': (event, book) => add(book, event, { repairs: 1 }),
  'ledger.disk_full': (event, book) => add(book, event, { full: 1 }),
  'egress.decided': refuse,
  'call.misclassified': (event, book) => add(book, event, { overstepped: 1 }),
  'task.rejected': (event, book) => add(book, event, { unread: 1 }),
  'intake.rejected': (event, book) => add(book, event, { unread: 1 }),
  'answer.refused': (event, book) => add(book, event, { unaccepted: 1 }),
};

const nameIn = ({ name, version }: { name: string; version: string }): Pick<ToolTold, 'name' | 'version'> => ({
  name,
  version,
});

function stop(event: EventOf<'intake.received'>, book: Rows): void {
  const { intake } = event.data;
  if (intake.kind === 'cancel' || intake.kind === 'pause')
    word(event, book, { kind: 'stopped', run: intake.run, text: intake.kind });
}

function endTask(event: EventOf<'run.ended'>, book: Rows): void {
  const task = event.run === null ? undefined : taskRecordOf(book, event.run);
  if (task === undefined) return;
  const { status, reason } = event.data;
  const { run, title, rework } = task;
  add(book, event, { [status]: 1 });
  const told: TaskTold = {
    run,
    title: brief(title, 200),
    status,
    seconds: secondsOf(task),
    reason: status === 'done' ? '' : brief(reason),
    rework,
  };
  note(book, event, 'task', told);
}

/** What a run inside spent is told again by whoever awaited it. */
function pay(event: EventOf<'call.ended'>, book: Rows): void {
  const { usage } = event.data;
  const tokens = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  if (usage === undefined || usage.tool_calls !== undefined || (tokens === 0 && (usage.usd ?? 0) === 0)) return;
  add(book, event, { tokens, usd: usage.usd ?? 0, thoughts: tokens > 0 ? 1 : 0 });
}

type Asked = { run: string | null; text: string };

function ask(event: EventOf<'wait.opened'>, book: Rows): void {
  const { wait, for: what } = event.data;
  if (what.kind !== 'approval' && what.kind !== 'question') return;
  const text = what.kind === 'approval' ? (what.asked?.command ?? what.text) : what.text;
  book.put(`day-ask/${wait}`, { run: event.run, text: brief(text) } satisfies Asked);
}

function answer(event: EventOf<'wait.closed'>, book: Rows): void {
  const { wait, answer: given } = event.data;
  const asked = book.get<Asked>(`day-ask/${wait}`);
  book.put(`day-ask/${wait}`, null);
  const { verdict } = given;
  if (asked === undefined || (verdict !== 'approved' && verdict !== 'denied' && verdict !== 'answered')) return;
  word(event, book, { kind: verdict, ...asked, answer: brief(given.text ?? '', 160) });
}

function word(event: Event, book: Rows, told: WordTold): void {
  add(book, event, { [told.kind]: 1 });
  note(book, event, 'word', told);
}

function tool(event: Event, book: Rows, told: ToolTold): void {
  add(book, event, { [told.kind]: 1 });
  note(book, event, 'tool', told);
}

function learn(event: EventOf<'fact.kept'>, book: Rows): void {
  const { text, namespace, source } = event.data;
  add(book, event, { learned: 1 });
  note(book, event, 'fact', { text: brief(text), namespace, source } satisfies FactTold);
}

function move(event: EventOf<'procedure.moved'>, book: Rows): void {
  const { procedure, to, reason, forced } = event.data;
  add(book, event, { moved: 1, ...(to === 'promoted' ? { promoted: 1 } : {}) });
  note(book, event, 'procedure', { procedure, to, reason: brief(reason, 200), isForced: forced } satisfies MoveTold);
}

/** One that starts while another has not stopped takes the place of one that died. */
function start(event: Event, book: Rows): void {
  const died: Counts = book.get('days/worker') === undefined ? {} : { crashes: 1 };
  book.put('days/worker', true);
  add(book, event, { restarts: 1, ...died });
}

function refuse(event: EventOf<'egress.decided'>, book: Rows): void {
  if (event.data.verdict === 'allowed') return;
  add(book, event, { refused: 1 });
  note(book, event, 'trouble', event.data.host);
}
