/**
 * Owns: what maintenance believes of what people want and of how things are, learned from both ledgers without a model.
 * Does not own: how the book is stored, when a pass runs (daemon/maintain), how pages meet the edits of people (pages/).
 *
 * F1 Only a person's explicit words become instructions and preferences; what tools, pages and models said never does.
 * F2 Every fact names the events it rests on. A person's word is never replaced by what was only seen.
 * F3 Everything is decided when an event is taken in; concluding only tells what is due. Taken in, it is due no more.
 * F4 Nothing is removed from the ledger: what no longer holds was superseded, forgotten or taken back, each an event.
 */
import type { NewEvent } from '../../schema/event.ts';
import type { FactGiven } from '../../schema/memory.ts';
import type { MaintenanceConfig } from '../../schema/maintenance.ts';
import type { Part, Pass } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import type { Read } from '../../schema/view.ts';
import { believe, heed } from './believe.ts';
import { byType, type Of } from './by-type.ts';
import { dueIn, forget, isDue, propose, written } from './due.ts';
import { joined } from './finding.ts';
import { byExpiry, byUse, dayOf, heldOf, keep, use } from './held.ts';
import { learningsPage } from './page.ts';
import { rules } from './rules.ts';
import { takeBack } from './take-back.ts';

const DAY = 86_400_000;
const AT_ONCE = 1000;

/** Has to come behind `taskRecords`. */
export function facts(settings: Pick<MaintenanceConfig, 'unused_days'>): Part {
  return {
    name: 'facts',
    wants: (event) => (event.pen === 'run' ? rules.flatMap((rule) => rule.wants?.(event) ?? []) : []),
    take: (read, book) => {
      if (read.event.pen === 'run') takeRun(read, book);
      else takeOwn(read.event, book);
    },
    conclude: (book, pass) => concluded(book, pass, settings.unused_days),
    page: learningsPage,
  };
}

function takeRun(read: Read, book: Rows): void {
  for (const rule of rules) for (const finding of rule.find(read, book)) believe(book, finding, read.event.at);
  byHand(read.event, book);
}

const byHand = byType<[Rows], void>({
  'fact.kept': keptByHand,
  'fact.forgotten': forgottenByHand,
  'context.packed': ({ data, at }, book) => {
    for (const { id } of data.items) if (id.startsWith('fact:')) use(book, id.slice('fact:'.length), at);
  },
  'intake.received': ({ data: { intake }, at }, book) => {
    if (intake.kind === 'take_back') takeBack(book, intake, at);
  },
});

/** F3. */
const takeOwn = byType<[Rows], void>({
  'fact.kept': (event, book) => written(book, event),
  'fact.forgotten': (event, book) => written(book, event),
  'fact.reworded': (event, book) => written(book, event),
  'change.undone': (event, book) => written(book, event),
});

/** Where something about the same fact is due it would come last: what the person said is then said again behind it. */
function keptByHand(event: Of<'fact.kept'>, book: Rows): void {
  const evidence = joined(event.data.evidence, [{ run: event.run, seq: event.seq }]);
  const data: FactGiven = { ...event.data, evidence };
  if (isDue(book, data.id)) propose(book, { type: 'fact.kept', run: event.run, data }, event.at);
  else keep(book, data, event.at);
  heed(book, data.id, event.at);
}

function forgottenByHand({ data, at }: Of<'fact.forgotten'>, book: Rows): void {
  const due = data.facts.filter((id) => isDue(book, id));
  forget(
    book,
    data.facts.filter((id) => !due.includes(id)),
    data.why,
    at,
  );
  if (due.length > 0) propose(book, { type: 'fact.forgotten', data: { facts: due, why: data.why } }, at);
}

function concluded(book: Rows, { now, read }: Pass, unusedDays: number | null): NewEvent[] {
  const cause = read > 0 ? read : null;
  const over: string[] = [];
  for (const { id, at } of byExpiry(book)) {
    if (at > new Date(now).toISOString()) break;
    over.push(id);
  }
  const unused =
    unusedDays === null ? [] : unusedSince(book, new Date(Date.parse(now) - unusedDays * DAY).toISOString());
  const idle = unused.filter((id) => !over.includes(id));
  return [...dueIn(book), ...gone(over, 'expired'), ...gone(idle, 'unused')].map((event) => ({ ...event, cause }));
}

function unusedSince(book: Rows, moment: string): string[] {
  const ids: string[] = [];
  for (const { id, day } of byUse(book)) {
    if (day >= dayOf(moment)) break;
    if (heldOf(book, id) !== undefined) ids.push(id);
  }
  return ids;
}

function gone(ids: readonly string[], why: 'expired' | 'unused'): NewEvent[] {
  const events: NewEvent[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    events.push({ type: 'fact.forgotten', data: { facts: ids.slice(from, from + AT_ONCE), why } });
  return events;
}
