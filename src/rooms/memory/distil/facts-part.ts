/**
 * Owns: learning facts and preferences from both ledgers, without a model.
 * Does not own: how rows are stored, when a pass runs (rooms/maintenance), how pages and people's edits are merged (pages/).
 *
 * F1 Only a person's explicit words become instructions and preferences, never the words of tools, pages or models.
 * F2 Every fact names the events it is based on. What a person said is never replaced by an observation.
 * F3 Everything is decided when an event is ingested; concluding only lists pending changes, and reading them back
 *    settles them.
 * F4 Nothing is removed from the ledger: a fact that is no longer valid was superseded, forgotten or undone by an event.
 */
import type { NewEvent } from '../../../core/schema/event.ts';
import type { FactGiven } from '../../../core/schema/memory.ts';
import type { MaintenanceConfig } from '../../../core/schema/maintenance.ts';
import type { Part, Pass } from '../../../core/schema/learning-part.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { Read } from '../../../core/schema/view.ts';
import { reconcileFinding, applyPersonsFact } from './reconcile-findings.ts';
import { handleByType, type EventOf } from '../event-handlers.ts';
import { applyConversationEvent } from './conversation-facts.ts';
import { pendingChanges, forget, isPending, proposeChange, recordWritten } from './pending-changes.ts';
import { mergeEvidence } from './fact-finding.ts';
import { factsByExpiry, factsByUse, dayOf, findFact, storeFact, markUsed } from './fact-rows.ts';
import { learningsPage } from './learnings-page.ts';
import { rules } from './rule-table.ts';
import { undoFactChange } from './undo-change.ts';

const DAY_MS = 86_400_000;
const MAX_PER_EVENT = 1000;

/** Must come after `taskRecords`. */
export function factsPart(settings: Pick<MaintenanceConfig, 'unused_days'>): Part {
  return {
    name: 'facts',
    wants: (event) => (event.pen === 'run' ? rules.flatMap((rule) => rule.wants?.(event) ?? []) : []),
    take: (read, rows) => {
      if (read.event.pen === 'run') ingestRunEvent(read, rows);
      else ingestOwnEvent(read.event, rows);
    },
    conclude: (rows, pass) => concludeChanges(rows, pass, settings.unused_days),
    page: learningsPage,
  };
}

function ingestRunEvent(read: Read, rows: Rows): void {
  for (const rule of rules) for (const finding of rule.find(read, rows)) reconcileFinding(rows, finding, read.event.at);
  applyPersonsEvent(read.event, rows);
  applyConversationEvent(read.event, rows);
}

const applyPersonsEvent = handleByType<[Rows], void>({
  'fact.kept': storePersonsFact,
  'fact.forgotten': forgetPersonsFact,
  'context.packed': ({ data, at }, rows) => {
    for (const { id } of data.items) if (id.startsWith('fact:')) markUsed(rows, id.slice('fact:'.length), at);
  },
  'intake.received': ({ data: { intake }, at }, rows) => {
    if (intake.kind === 'take_back') undoFactChange(rows, intake, at);
  },
});

/** Settles the changes that were written (F3). */
const ingestOwnEvent = handleByType<[Rows], void>({
  'fact.kept': (event, rows) => recordWritten(rows, event),
  'fact.forgotten': (event, rows) => recordWritten(rows, event),
  'fact.reworded': (event, rows) => recordWritten(rows, event),
  'change.undone': (event, rows) => recordWritten(rows, event),
});

/** A pending change to the same fact would be applied later, so the person's fact is proposed again after it. */
function storePersonsFact(event: EventOf<'fact.kept'>, rows: Rows): void {
  const evidence = mergeEvidence(event.data.evidence, [{ run: event.run, seq: event.seq }]);
  const data: FactGiven = { ...event.data, evidence };
  if (isPending(rows, data.id)) proposeChange(rows, { type: 'fact.kept', run: event.run, data }, event.at);
  else storeFact(rows, data, event.at);
  applyPersonsFact(rows, data.id, event.at);
}

function forgetPersonsFact({ data, at }: EventOf<'fact.forgotten'>, rows: Rows): void {
  const due = data.facts.filter((id) => isPending(rows, id));
  forget(
    rows,
    data.facts.filter((id) => !due.includes(id)),
    data.why,
    at,
  );
  if (due.length > 0) proposeChange(rows, { type: 'fact.forgotten', data: { facts: due, why: data.why } }, at);
}

function concludeChanges(rows: Rows, { now, read }: Pass, unusedDays: number | null): NewEvent[] {
  const cause = read > 0 ? read : null;
  const over: string[] = [];
  for (const { id, at } of factsByExpiry(rows)) {
    if (at > new Date(now).toISOString()) break;
    over.push(id);
  }
  const unused =
    unusedDays === null ? [] : unusedSince(rows, new Date(Date.parse(now) - unusedDays * DAY_MS).toISOString());
  const idle = unused.filter((id) => !over.includes(id));
  return [...pendingChanges(rows), ...forgetEvents(over, 'expired'), ...forgetEvents(idle, 'unused')].map((event) => ({
    ...event,
    cause,
  }));
}

function unusedSince(rows: Rows, moment: string): string[] {
  const ids: string[] = [];
  for (const { id, day } of factsByUse(rows)) {
    if (day >= dayOf(moment)) break;
    if (findFact(rows, id) !== undefined) ids.push(id);
  }
  return ids;
}

function forgetEvents(ids: readonly string[], why: 'expired' | 'unused'): NewEvent[] {
  const events: NewEvent[] = [];
  for (let from = 0; from < ids.length; from += MAX_PER_EVENT)
    events.push({ type: 'fact.forgotten', data: { facts: ids.slice(from, from + MAX_PER_EVENT), why } });
  return events;
}
