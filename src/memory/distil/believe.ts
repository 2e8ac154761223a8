/**
 * Owns: from what was found to what is believed.
 *
 * 1. A person's word is never replaced by what was only seen, whichever is newer.
 * 2. Of two facts about the same the newer holds; the older stays in the ledger, superseded.
 * 3. What says the same is one fact with the evidence of both.
 */
import type { Evidence, FactGiven } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import { propose } from './due.ts';
import { confidenceOf, type Finding, idOf, IMPORTANCE, joined, kindOf, rankOf } from './finding.ts';
import { type Held, heldOf, isHeld, relatives, subjectIn } from './held.ts';
import { contradict, type Subject, subjectOf } from './subject.ts';

export function believe(book: Rows, finding: Finding, at: string): void {
  const subject = finding.subject ?? subjectOf(finding.text);
  const { same, contrary } = sorted(book, finding.text, subject);
  if (contrary.some(({ fact }) => rankOf(fact.source) > rankOf(finding.source))) return; // 1
  const twin = same.find((held) => takesIn(held, finding));
  const gone = [...same, ...contrary].filter((held) => held !== twin).map(({ fact }) => fact.id);
  const supersedes = [...new Set([...gone, ...(finding.replaces ?? [])])].toSorted();
  if (twin !== undefined) return confirm(book, twin, finding, supersedes, at);
  const id = idOf(finding.kind, finding.text);
  if (finding.kind === 'environment' && wasRefused(heldOf(book, id))) return;
  const evidence = [...same.map(({ fact }) => fact.evidence), earlier(book, id)].reduce<Evidence[]>(
    (all, each) => joined(all, each),
    [...finding.evidence],
  );
  const { source, text, namespace } = finding;
  const fact: FactGiven = {
    id,
    namespace,
    text,
    source,
    evidence,
    importance: IMPORTANCE[finding.kind],
    confidence: confidenceOf(source, evidence, book),
    supersedes: supersedes.filter((each) => each !== id).slice(0, 100),
    ...(finding.expires === undefined ? {} : { expires: finding.expires }),
  };
  if (finding.counted !== undefined) book.put(`facts/counted/${id}`, finding.counted);
  propose(book, { type: 'fact.kept', run: runOf(finding.evidence), data: fact }, at, finding.subject ?? null);
}

/** Nobody doubts what was shown so often; saying it again would only fill the ledger. */
const MOST_CONFIRMED = 20;

/** 3. What is already known from there is not said again. */
function confirm(book: Rows, twin: Held, finding: Finding, supersedes: readonly string[], at: string): void {
  const known = new Set(twin.fact.evidence.map(({ seq }) => seq));
  const isNew = finding.kind !== 'environment' && finding.evidence.some(({ seq }) => !known.has(seq));
  if (supersedes.length === 0 && (!isNew || known.size >= MOST_CONFIRMED)) return;
  const evidence = joined(twin.fact.evidence, finding.evidence);
  const { expires: _, ...fact } = twin.fact;
  const confidence = Math.max(fact.confidence, confidenceOf(fact.source, evidence, book));
  const isSaid = rankOf(finding.source) >= rankOf(fact.source);
  const expires = isSaid ? finding.expires : twin.fact.expires;
  const others = supersedes.filter((id) => id !== fact.id).slice(0, 100);
  const data: FactGiven = {
    ...fact,
    confidence,
    evidence,
    supersedes: others,
    ...(expires === undefined ? {} : { expires }),
  };
  propose(book, { type: 'fact.kept', run: runOf(finding.evidence), data }, at);
}

function sorted(book: Rows, text: string, subject: Subject | null): { same: Held[]; contrary: Held[] } {
  const near = relatives(book, text, subject);
  const isContrary = (held: Held): boolean => {
    const other = subjectIn(held);
    return subject !== null && other !== null && contradict(subject, other);
  };
  const isApart = (held: Held): boolean => {
    const other = subjectIn(held);
    return subject !== null && other?.about === subject.about && other.value !== subject.value;
  };
  const contrary = near.filter(isContrary);
  return { contrary, same: near.filter((held) => !contrary.includes(held) && !isApart(held)) };
}

/** A fact takes in what says the same, unless that is said by somebody above or is to hold always. */
function takesIn({ fact }: Held, finding: Finding): boolean {
  if (rankOf(fact.source) < rankOf(finding.source)) return false;
  if (finding.kind === 'standing' && kindOf(fact.id) !== 'standing' && fact.namespace !== 'standing') return false;
  return finding.subject === undefined || fact.text === finding.text;
}

/** What a fact of this name rested on before it went, unless a person gave it up. */
function earlier(book: Rows, id: string): readonly Evidence[] {
  const held = heldOf(book, id);
  return held === undefined || wasRefused(held) ? [] : held.fact.evidence;
}

const wasRefused = (held: Held | undefined): boolean =>
  held?.state.kind === 'forgotten' && (held.state.why === 'undone' || held.state.why === 'deleted');

const runOf = (evidence: readonly Evidence[]): string | null => evidence.at(-1)?.run ?? null;

/** A person kept a fact by hand: what it contradicts or repeats gives way to it. */
export function heed(book: Rows, id: string, at: string): void {
  const held = heldOf(book, id);
  if (!isHeld(held)) return;
  const { fact } = held;
  const { same, contrary } = sorted(book, fact.text, subjectIn(held));
  const isBelow = (each: Held): boolean => rankOf(each.fact.source) <= rankOf(fact.source); // 1
  const gone = [...same, ...contrary].filter((each) => each.fact.id !== id && !isByHand(each) && isBelow(each));
  if (gone.length === 0) return;
  const evidence = same
    .filter((each) => gone.includes(each))
    .map((each) => each.fact.evidence)
    .reduce(joined, fact.evidence);
  const supersedes = gone
    .map((each) => each.fact.id)
    .toSorted()
    .slice(0, 100);
  propose(book, { type: 'fact.kept', run: null, data: { ...fact, evidence, supersedes } }, at);
}

/** Whether two facts kept by hand go together is for the person to say. */
const isByHand = ({ fact }: Held): boolean => fact.source === 'person' && fact.confidence === 1;
