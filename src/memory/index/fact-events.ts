/**
 * Owns: from events about facts to the facts on the shelf.
 *
 * 1. Two pens write about facts and their ledgers are read one behind the other. What maintenance wrote before it had read
 *    what a person said of a fact, does not change that fact any more: the order in which they are read is the same to it.
 * 2. Evidence names events of the run ledger.
 */
import type { Event } from '../../schema/event.ts';
import type { Fact, FactGiven } from '../../schema/memory.ts';
import { dateInWords, extractTerms } from '../text/terms.ts';
import type { Draft } from './item.ts';
import type { Shelf } from './shelf.ts';

/** Returns the pieces that are gone because of it; null when the event is about something else. */
export function putFactEvent(shelf: Shelf, event: Event): number[] | null {
  if (event.type === 'fact.kept') return keepFact(shelf, event);
  if (event.type === 'fact.reworded') return rewordFact(shelf, event);
  if (event.type !== 'fact.forgotten') return null;
  return event.data.facts.flatMap((id) => (isOutdated(shelf, event, id) ? [] : forget(shelf, event, id)));
}

export const termsIn = ({ context, text }: Draft): string => extractTerms(`${context} ${text}`).join(' ');

/** The last event of the run ledger about a fact, and what took its place there. */
type Word = { seq: number; by: string | null };

function noteWord(shelf: Shelf, event: Event, id: string, by: string | null): void {
  if (event.pen === 'run') shelf.putScrap(`word ${id}`, JSON.stringify({ seq: event.seq, by } satisfies Word));
}

function wordOn(shelf: Shelf, id: string): Word | null {
  const word = shelf.scrap(`word ${id}`);
  return word === null ? null : (JSON.parse(word) as Word);
}

/** 1. */
const isOutdated = (shelf: Shelf, { pen, cause }: Event, id: string): boolean =>
  pen === 'maintenance' && (wordOn(shelf, id)?.seq ?? 0) > (cause ?? 0);

function keepFact(shelf: Shelf, event: Extract<Event, { type: 'fact.kept' }>): number[] {
  const { supersedes, ...given } = event.data;
  const gone = supersedes.filter((id) => id !== given.id).flatMap((id) => supersede(shelf, event, id, given.id));
  const evidence = evidenceOf(event);
  if (isOutdated(shelf, event, given.id)) {
    const by = wordOn(shelf, given.id)?.by ?? null;
    if (by !== null) shelf.putFact({ ...given, evidence, superseded_by: by }, 0);
    return gone;
  }
  noteWord(shelf, event, given.id, null);
  const told = tellingOf(shelf, given.id);
  const text = told?.original === given.text ? told.text : given.text;
  return [...gone, ...put(shelf, event, { ...given, text, evidence })];
}

/** 2. */
function evidenceOf({ pen, run, seq, data }: Extract<Event, { type: 'fact.kept' }>): Fact['evidence'] {
  if (pen === 'maintenance' && data.evidence.length > 0) return data.evidence;
  return [...data.evidence, { run, seq }].slice(-100);
}

function put(shelf: Shelf, event: Event, fact: Fact): number[] {
  const draft = factDraft(event, fact);
  const added = shelf.add(draft, termsIn(draft));
  shelf.putFact(fact, added?.n ?? shelf.fact(fact.id)?.n ?? 0);
  return added?.replaced ?? [];
}

type Telling = { original: string; text: string };

function tellingOf(shelf: Shelf, id: string): Telling | null {
  const told = shelf.scrap(`told ${id}`);
  return told === null ? null : (JSON.parse(told) as Telling);
}

function rewordFact(shelf: Shelf, event: Extract<Event, { type: 'fact.reworded' }>): number[] {
  const { fact: id, text } = event.data;
  const known = shelf.fact(id);
  if (known === null || isOutdated(shelf, event, id)) return [];
  const original = tellingOf(shelf, id)?.original ?? known.fact.text;
  shelf.putScrap(`told ${id}`, original === text ? null : JSON.stringify({ original, text } satisfies Telling));
  if (known.fact.superseded_by === undefined) return put(shelf, event, { ...known.fact, text });
  shelf.putFact({ ...known.fact, text }, known.n);
  return [];
}

function factDraft(
  event: Event,
  { id, namespace, text, source }: Pick<FactGiven, 'id' | 'namespace' | 'text' | 'source'>,
): Draft {
  return {
    key: `fact ${id}`,
    id,
    kind: 'fact',
    who: source,
    at: event.at,
    thread: `fact ${id}`,
    run: event.run,
    node: null,
    namespace,
    pen: event.pen,
    seq: event.seq,
    part: 0,
    text,
    context: `${namespace} ${dateInWords(event.at)}`,
  };
}

function supersede(shelf: Shelf, event: Event, id: string, by: string): number[] {
  if (isOutdated(shelf, event, id)) return [];
  noteWord(shelf, event, id, by);
  const known = shelf.fact(id);
  if (known === null) return [];
  shelf.putFact({ ...known.fact, superseded_by: by }, known.n);
  shelf.giveUp(known.n);
  return [known.n];
}

function forget(shelf: Shelf, event: Event, id: string): number[] {
  noteWord(shelf, event, id, null);
  const known = shelf.fact(id);
  if (known === null) return [];
  shelf.dropFact(id);
  shelf.giveUp(known.n);
  return [known.n];
}
