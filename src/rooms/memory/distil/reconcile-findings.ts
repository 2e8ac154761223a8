/**
 * Owns: reconciling a new finding with the facts that are known.
 *
 * 1. What a person said is never replaced by an observation, whichever is newer.
 * 2. Of two facts about the same subject the newer is valid; the older one is superseded and stays in the ledger.
 * 3. Findings that say the same become one fact with the evidence of both.
 * 4. What another member of a fleet shares has no part in it: it supersedes and confirms nothing that was learned here.
 */
import type { Evidence, FactGiven } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { proposeChange } from './pending-changes.ts';
import {
  computeConfidence,
  type Finding,
  factId,
  IMPORTANCE,
  mergeEvidence,
  kindOfFact,
  sourceRank,
} from './fact-finding.ts';
import { type StoredFact, findFact, isValid, findRelatedFacts, subjectOfFact } from './fact-rows.ts';
import { areContradictory, type Subject, parseSubject } from './fact-subject.ts';

export function reconcileFinding(rows: Rows, finding: Finding, at: string): void {
  const subject = finding.subject ?? parseSubject(finding.text);
  const { same, contrary } = findRelated(rows, finding.text, subject);
  if (contrary.some(({ fact }) => sourceRank(fact.source) > sourceRank(finding.source))) return; // a higher source wins (1)
  const twin = same.find((found) => canAbsorb(found, finding));
  const gone = [...same, ...contrary].filter((found) => found !== twin).map(({ fact }) => fact.id);
  const supersedes = [...new Set([...gone, ...(finding.replaces ?? [])])].toSorted();
  if (twin !== undefined) return confirmFact(rows, twin, finding, supersedes, at);
  const id = factId(finding.kind, finding.text);
  if (finding.kind === 'environment' && wasRefused(findFact(rows, id))) return;
  const evidence = [...same.map(({ fact }) => fact.evidence), earlierEvidence(rows, id)].reduce<Evidence[]>(
    (all, each) => mergeEvidence(all, each),
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
    confidence: computeConfidence(source, evidence, rows),
    supersedes: supersedes.filter((each) => each !== id).slice(0, 100),
    ...(finding.expires === undefined ? {} : { expires: finding.expires }),
  };
  if (finding.counted !== undefined) rows.put(`facts/counted/${id}`, finding.counted);
  proposeChange(rows, { type: 'fact.kept', run: lastRunOf(finding.evidence), data: fact }, at, finding.subject ?? null);
}

/** A fact with this much evidence needs no more confirmation. */
const MAX_CONFIRMED = 20;

/** Adds evidence to a fact that says the same (3), unless the evidence is known already. */
function confirmFact(rows: Rows, twin: StoredFact, finding: Finding, supersedes: readonly string[], at: string): void {
  const known = new Set(twin.fact.evidence.map(({ seq }) => seq));
  const isNew = finding.kind !== 'environment' && finding.evidence.some(({ seq }) => !known.has(seq));
  if (supersedes.length === 0 && (!isNew || known.size >= MAX_CONFIRMED)) return;
  const evidence = mergeEvidence(twin.fact.evidence, finding.evidence);
  const { expires: _, ...fact } = twin.fact;
  const confidence = Math.max(fact.confidence, computeConfidence(fact.source, evidence, rows));
  const isSaid = sourceRank(finding.source) >= sourceRank(fact.source);
  const expires = isSaid ? finding.expires : twin.fact.expires;
  const others = supersedes.filter((id) => id !== fact.id).slice(0, 100);
  const data: FactGiven = {
    ...fact,
    confidence,
    evidence,
    supersedes: others,
    ...(expires === undefined ? {} : { expires }),
  };
  proposeChange(rows, { type: 'fact.kept', run: lastRunOf(finding.evidence), data }, at);
}

function findRelated(
  rows: Rows,
  text: string,
  subject: Subject | null,
): { same: StoredFact[]; contrary: StoredFact[] } {
  const near = findRelatedFacts(rows, text, subject).filter(({ fact }) => fact.from === undefined);
  const isContrary = (found: StoredFact): boolean => {
    const other = subjectOfFact(found);
    return subject !== null && other !== null && areContradictory(subject, other);
  };
  const isApart = (found: StoredFact): boolean => {
    const other = subjectOfFact(found);
    return subject !== null && other?.about === subject.about && other.value !== subject.value;
  };
  const contrary = near.filter(isContrary);
  return { contrary, same: near.filter((found) => !contrary.includes(found) && !isApart(found)) };
}

/** Whether a fact can absorb a finding that says the same; a higher source or a standing instruction needs a fact of its own. */
function canAbsorb({ fact }: StoredFact, finding: Finding): boolean {
  if (sourceRank(fact.source) < sourceRank(finding.source)) return false;
  if (finding.kind === 'standing' && kindOfFact(fact.id) !== 'standing' && fact.namespace !== 'standing') return false;
  return finding.subject === undefined || fact.text === finding.text;
}

/** The evidence that a fact of this id had earlier, unless a person removed it. */
function earlierEvidence(rows: Rows, id: string): readonly Evidence[] {
  const found = findFact(rows, id);
  return found === undefined || wasRefused(found) ? [] : found.fact.evidence;
}

const wasRefused = (found: StoredFact | undefined): boolean =>
  found?.state.kind === 'forgotten' && (found.state.why === 'undone' || found.state.why === 'deleted');

const lastRunOf = (evidence: readonly Evidence[]): string | null => evidence.at(-1)?.run ?? null;

/** A person stated a fact directly: it supersedes what it contradicts or repeats. */
export function applyPersonsFact(rows: Rows, id: string, at: string): void {
  const found = findFact(rows, id);
  if (!isValid(found)) return;
  const { fact } = found;
  if (fact.from !== undefined) return;
  const { same, contrary } = findRelated(rows, fact.text, subjectOfFact(found));
  const isBelow = (each: StoredFact): boolean => sourceRank(each.fact.source) <= sourceRank(fact.source);
  const gone = [...same, ...contrary].filter((each) => each.fact.id !== id && !isByHand(each) && isBelow(each));
  if (gone.length === 0) return;
  const evidence = same
    .filter((each) => gone.includes(each))
    .map((each) => each.fact.evidence)
    .reduce(mergeEvidence, fact.evidence);
  const supersedes = gone
    .map((each) => each.fact.id)
    .toSorted()
    .slice(0, 100);
  proposeChange(rows, { type: 'fact.kept', run: null, data: { ...fact, evidence, supersedes } }, at);
}

/** Facts that a person stated directly are never superseded automatically. */
const isByHand = ({ fact }: StoredFact): boolean => fact.source === 'person' && fact.confidence === 1;
