/** Owns: which events belong on the page of a day, memory/YYYY-MM-DD.md. day-page.ts renders it. */
import { isNewHabit } from '../../../kit/learning/habit-notice.ts';
import { knownProcedure } from '../../../kit/learning/procedure-rows.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Part } from '../../../core/schema/learning-part.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { secondsOf, taskRecordOf } from '../../../kit/learning/task-record.ts';
import {
  addCounts,
  eraseFacts,
  dayCounts,
  type Counts,
  dayOfPageName,
  type FactEntry,
  advanceDay,
  type MoveEntry,
  addEntry,
  type TaskEntry,
  type ToolEntry,
  type DecisionEntry,
} from './day-entries.ts';
import { forgetConversation, forgetMessages, noteConversation, recordMessage } from './day-chats.ts';
import { renderDayPage } from './day-page.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';

export function daysPart({ compact_days: compactDays }: { compact_days: number | null }): Part {
  return {
    name: 'days',
    take: (read, rows) => {
      advanceDay(rows, read.event, compactDays);
      void handleByType(HANDLERS)(read.event, rows);
    },
    page: (page, rows) => {
      const day = dayOfPageName(page);
      if (day === null) return undefined;
      return dayCounts(rows, day) === undefined ? null : renderDayPage(rows, day, compactDays);
    },
  };
}

const shorten = (text: string, most = 300): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, most);

const HANDLERS: Handlers<[Rows], void> = {
  'run.ended': recordTask,
  'call.ended': recordCost,
  'wait.opened': recordQuestion,
  'wait.closed': recordAnswer,
  'run.corrected': (event, rows) =>
    recordDecision(event, rows, { kind: 'corrected', run: event.run, text: shorten(event.data.text) }),
  'run.undone': (event, rows) =>
    recordDecision(event, rows, { kind: 'undone', run: event.run, text: `${event.data.restored.length}` }),
  'intake.received': recordStop,
  'chat.opened': noteConversation,
  'chat.changed': noteConversation,
  'message.posted': recordMessage,
  'chat.expired': forgetMessages,
  'chat.deleted': forgetConversation,
  'page.edited': (event, rows) => addCounts(rows, event, { edited: 1 }),
  'dependency.installed': (event, rows) =>
    recordTool(event, rows, { kind: 'installed', ...nameAndVersion(event.data), why: shorten(event.data.why, 160) }),
  'dependency.removed': (event, rows) =>
    recordTool(event, rows, { kind: 'removed', ...nameAndVersion(event.data), why: shorten(event.data.reason, 160) }),
  'requirement.opened': (event, rows) => {
    const { name, reason } = event.data.requirement;
    recordTool(event, rows, { kind: 'asked', name, version: '', why: shorten(reason, 160) });
  },
  'requirement.resolved': (event, rows) =>
    recordTool(event, rows, { kind: 'brought', name: event.data.name, version: '', why: '' }),
  'fact.kept': recordFact,
  'fact.forgotten': (event, rows) => {
    addCounts(rows, event, { forgotten: event.data.facts.length });
    if (event.data.why === 'deleted') eraseFacts(rows, event.data.facts);
  },
  'procedure.moved': recordMove,
  'procedure.chosen': (event, rows) =>
    ['used', 'trial'].includes(event.data.arm) && addCounts(rows, event, { reused: 1 }),
  'worker.started': recordWorkerStart,
  'worker.stopped': (_, rows) => rows.put('days/worker', null),
  'ledger.repaired': (event, rows) => addCounts(rows, event, { repairs: 1 }),
  'ledger.disk_full': (event, rows) => addCounts(rows, event, { full: 1 }),
  'egress.decided': recordRefusal,
  'call.misclassified': (event, rows) => addCounts(rows, event, { overstepped: 1 }),
  'task.rejected': (event, rows) => addCounts(rows, event, { unread: 1 }),
  'intake.rejected': (event, rows) => addCounts(rows, event, { unread: 1 }),
  'answer.refused': (event, rows) => addCounts(rows, event, { unaccepted: 1 }),
};

const nameAndVersion = ({ name, version }: { name: string; version: string }): Pick<ToolEntry, 'name' | 'version'> => ({
  name,
  version,
});

function recordStop(event: EventOf<'intake.received'>, rows: Rows): void {
  const { intake } = event.data;
  if (intake.kind === 'cancel' || intake.kind === 'pause')
    recordDecision(event, rows, { kind: 'stopped', run: intake.run, text: intake.kind });
}

function recordTask(event: EventOf<'run.ended'>, rows: Rows): void {
  const task = event.run === null ? undefined : taskRecordOf(rows, event.run);
  if (task === undefined) return;
  const { status, reason } = event.data;
  const { run, title, rework } = task;
  addCounts(rows, event, { [status]: 1, ...(rework === 0 ? {} : { reworked: rework }) });
  const entry: TaskEntry = {
    run,
    title: shorten(title, 200),
    status,
    seconds: secondsOf(task),
    reason: status === 'done' ? '' : shorten(reason),
    rework,
  };
  addEntry(rows, event, 'task', entry);
}

/** Skips the usage that a parent reports for a child run, which was counted already. */
function recordCost(event: EventOf<'call.ended'>, rows: Rows): void {
  const { usage } = event.data;
  const tokens = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  if (usage === undefined || usage.tool_calls !== undefined || (tokens === 0 && (usage.usd ?? 0) === 0)) return;
  addCounts(rows, event, { tokens, usd: usage.usd ?? 0, thoughts: tokens > 0 ? 1 : 0 });
}

type Asked = { run: string | null; text: string };

function recordQuestion(event: EventOf<'wait.opened'>, rows: Rows): void {
  const { wait, for: what } = event.data;
  if (what.kind !== 'approval' && what.kind !== 'question') return;
  const text = what.kind === 'approval' ? (what.asked?.command ?? what.text) : what.text;
  rows.put(`day-ask/${wait}`, { run: event.run, text: shorten(text) } satisfies Asked);
}

function recordAnswer(event: EventOf<'wait.closed'>, rows: Rows): void {
  const { wait, answer: given } = event.data;
  const asked = rows.get<Asked>(`day-ask/${wait}`);
  rows.put(`day-ask/${wait}`, null);
  const { verdict } = given;
  if (asked === undefined || (verdict !== 'approved' && verdict !== 'denied' && verdict !== 'answered')) return;
  recordDecision(event, rows, { kind: verdict, ...asked, answer: shorten(given.text ?? '', 160) });
}

function recordDecision(event: Event, rows: Rows, entry: DecisionEntry): void {
  addCounts(rows, event, { [entry.kind]: 1 });
  addEntry(rows, event, 'word', entry);
}

function recordTool(event: Event, rows: Rows, entry: ToolEntry): void {
  addCounts(rows, event, { [entry.kind]: 1 });
  addEntry(rows, event, 'tool', entry);
}

function recordFact(event: EventOf<'fact.kept'>, rows: Rows): void {
  const { id, text, namespace, source } = event.data;
  addCounts(rows, event, { learned: 1 });
  addEntry(rows, event, 'fact', { id, text: shorten(text), namespace, source } satisfies FactEntry);
}

function recordMove(event: EventOf<'procedure.moved'>, rows: Rows): void {
  const { procedure, to, reason, forced } = event.data;
  const title = knownProcedure(rows, procedure)?.procedure.title ?? procedure;
  addCounts(rows, event, { moved: 1, ...(to === 'promoted' ? { promoted: 1 } : {}) });
  addEntry(rows, event, 'procedure', {
    procedure,
    to,
    reason: shorten(reason, 200),
    isForced: forced,
    ...(isNewHabit(event.data) ? { habit: shorten(title, 120) } : {}),
  } satisfies MoveEntry);
}

/** A worker that starts while the last one never stopped replaces one that crashed. */
function recordWorkerStart(event: Event, rows: Rows): void {
  const died: Counts = rows.get('days/worker') === undefined ? {} : { crashes: 1 };
  rows.put('days/worker', true);
  addCounts(rows, event, { restarts: 1, ...died });
}

function recordRefusal(event: EventOf<'egress.decided'>, rows: Rows): void {
  if (event.data.verdict === 'allowed') return;
  addCounts(rows, event, { refused: 1 });
  addEntry(rows, event, 'trouble', event.data.host);
}
