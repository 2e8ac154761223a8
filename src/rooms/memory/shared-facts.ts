/**
 * Owns: which facts of this home the others get, and what follows here from what another member shares. Pure.
 *
 * 1. Shared is what tasks have shown (lessons, notes), and what is known in the topics that the operator named. Standing
 *    instructions, preferences, what is known about this machine, and what came from elsewhere are never shared.
 * 2. An imported fact names its member, has an id that was made here, and counts as imported: it is never a standing
 *    instruction, nor the words of a person of this home, and it supersedes nothing.
 * 3. What was forgotten here stays forgotten, unless its own home had withdrawn it.
 */
import { hash } from 'node:crypto';
import { kindOfFact } from './distil/fact-finding.ts';
import { topicName } from './distil/fact-topic.ts';
import { factText } from './about-query.ts';
import { currentFacts } from './current-facts.ts';
import { storedFact, type StoredFact, storedFacts } from './fact-view.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import { MOST_SHARED_FACTS, SharedFact } from '../../core/schema/fleet-memory.ts';
import type { Sharing, SharingOptions } from '../../core/schema/sharing.ts';
import { FactGiven, STANDING } from '../../core/schema/memory.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { Rows } from '../../core/schema/rows.ts';

/** Topics with a meaning of their own at each home. */
const OWN_TOPICS = new Set([STANDING, 'approvals', 'environment']);
const MOST_TRUST = 0.5;

export const sharedFacts: Sharing = {
  kind: 'facts',
  own: ownTexts,
  follow: (member, { facts }, { rows }) => changesFrom(member, facts, rows),
  factsAfter: currentFacts,
};

/** The most important facts, if there are too many. */
function ownTexts(rows: Rows, options: SharingOptions): string[] {
  const facts = [...storedFacts(rows)]
    .filter((row) => isShared(row, options))
    .toSorted((a, b) => b.fact.importance - a.fact.importance || (a.fact.id < b.fact.id ? -1 : 1))
    .flatMap((row) => toShared(row, options.redact));
  const chosen: string[] = [];
  let bytes = 0;
  for (const fact of facts.slice(0, MOST_SHARED_FACTS)) {
    const text = JSON.stringify(fact);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > options.bytes) break;
    chosen.push(text);
  }
  return chosen;
}

function isShared({ fact, state }: StoredFact, { topics, now }: { topics: readonly string[]; now: number }): boolean {
  const { id, namespace, source, expires, from } = fact;
  if (state.kind !== 'valid' || from !== undefined || OWN_TOPICS.has(namespace) || source === 'tool') return false;
  if (expires !== undefined && Date.parse(expires) <= now) return false;
  const kind = kindOfFact(id);
  if (kind === 'standing' || kind === 'preference' || kind === 'environment') return false;
  return source === 'run' || topics.includes(topicName(namespace));
}

/** Nothing that redaction would change leaves the home. */
function toShared(row: StoredFact, redact: Redact): SharedFact[] {
  const { id, namespace, importance, confidence, expires } = row.fact;
  const text = factText(row).replaceAll(/\s+/g, ' ').trim();
  if (redact(text) !== text) return [];
  const shared = { id, namespace: topicName(namespace), text, importance, confidence, ...(expires && { expires }) };
  const read = SharedFact.safeParse(shared);
  return read.success ? [read.data] : [];
}

/** The events with which this home follows what a member shares now. */
export function changesFrom(member: string, shared: readonly SharedFact[], rows: Rows): NewEvent[] {
  const given = shared.map((fact) => toImported(member, fact));
  const known = new Set(given.map(({ id }) => id));
  const kept = given.filter((fact) => isNews(fact, storedFact(rows, fact.id)));
  const gone = [...storedFacts(rows)]
    .filter(({ fact, state }) => fact.from === member && state.kind === 'valid' && !known.has(fact.id))
    .map(({ fact: { id } }) => id);
  return [
    ...(gone.length === 0
      ? []
      : [{ type: 'fact.forgotten' as const, data: { facts: gone.slice(0, 1000), why: 'withdrawn' as const } }]),
    ...kept.map((data) => ({ type: 'fact.kept' as const, data })),
  ];
}

function toImported(member: string, { id, namespace, text, importance, confidence, expires }: SharedFact): FactGiven {
  return FactGiven.parse({
    id: `fleet.${member.slice(0, 60)}.${hash('sha256', `${member}\n${id}`).slice(0, 16)}`,
    namespace: OWN_TOPICS.has(namespace) ? 'general' : namespace,
    text,
    importance: Math.min(importance, MOST_TRUST),
    confidence: Math.min(confidence, MOST_TRUST),
    source: 'import',
    from: member,
    ...(expires === undefined ? {} : { expires }),
  });
}

function isNews(given: FactGiven, row: StoredFact | undefined): boolean {
  if (row === undefined) return true;
  const { fact, state } = row;
  if (state.kind === 'forgotten') return state.why === 'withdrawn';
  if (state.kind === 'superseded') return false;
  return fact.text !== given.text || fact.namespace !== given.namespace || fact.expires !== given.expires;
}
