/** Owns: which entries a search may return, as marks by place in the corpus. */
import type { Corpus } from '../../../kit/learning/corpus.ts';
import { isTrustedFact, type Kind, KINDS } from '../../../kit/learning/index-item.ts';
import type { Recall } from './recall.ts';

export type EntryFilter = {
  /** YYYY-MM-DD. */
  day?: string;
  namespace?: string;
  /** A run; only entries of its task are returned. */
  task?: string;
  /** A run; entries of its task are left out. */
  except?: string;
  only?: 'facts' | 'episodes';
  /** Only what people said, since only that may shape a plan. */
  trusted?: boolean;
};

/** What marks an entry that may be returned, and one that is a fact; the others are 0. */
export const ABLE = 1;
export const ABLE_FACT = 2;

/** Marks each entry that may be returned. */
export function searchableEntries(
  recall: Recall,
  { day, namespace, task, except, only, trusted }: EntryFilter,
): Uint8Array {
  const { now: corpus } = recall.corpus;
  const from = day === undefined ? 0 : Date.parse(`${day}T00:00:00Z`) / 1000;
  const space = namespace === undefined ? -1 : (corpus.names.namespace.byName.get(namespace) ?? -2);
  const thread = task === undefined ? -1 : threadOfRun(corpus, task);
  const other = except === undefined ? -1 : threadOfRun(corpus, except);
  const { expired, untrusted } = hiddenFacts(recall);
  const able = markedByKind(corpus, only, trusted === true).slice();
  const { seconds, threads, namespaces } = corpus;
  const hideUnless = (isWanted: (at: number) => boolean): void => {
    for (let at = 0; at < able.length; at += 1) if (!isWanted(at)) able[at] = 0;
  };
  const isOnDay = (second = 0): boolean => second >= from && second < from + 86_400;
  if (day !== undefined) hideUnless((at) => isOnDay(seconds[at]));
  if (space !== -1) hideUnless((at) => namespaces[at] === space);
  if (thread !== -1) hideUnless((at) => threads[at] === thread);
  if (trusted === true) for (const n of untrusted) able[n - 1] = 0;
  for (let at = corpus.lastOfThread[other] ?? -1; at >= 0; at = corpus.before[at] ?? -1) able[at] = 0;
  for (const n of expired) able[n - 1] = 0;
  return able;
}

type Marked = { stamp: string; marks: Uint8Array };

/** By what is wanted, as long as nothing is added or removed: to copy marks is faster than to make them. */
const lastMarked = new WeakMap<Corpus, Map<string, Marked>>();

function markedByKind(corpus: Corpus, only: EntryFilter['only'], isTrusted: boolean): Uint8Array {
  const [wanted, stamp] = [`${only} ${isTrusted}`, `${corpus.size} ${corpus.alive}`];
  const known = lastMarked.get(corpus) ?? new Map<string, Marked>();
  lastMarked.set(corpus, known);
  const last = known.get(wanted);
  if (last?.stamp === stamp) return last.marks;
  const marks = new Uint8Array(corpus.size);
  known.set(wanted, { stamp, marks });
  markKinds(marks, corpus.gone, corpus.kinds, marksOfKinds(only, isTrusted));
  return marks;
}

/** By kind: what marks an entry of it. */
function marksOfKinds(only: EntryFilter['only'], isTrusted: boolean): Uint8Array {
  const isWanted = (kind: Kind): boolean =>
    (only === undefined || (kind === 'fact') === (only === 'facts')) &&
    (!isTrusted || kind === 'fact' || kind === 'said');
  return Uint8Array.from(KINDS, (kind) => (!isWanted(kind) ? 0 : kind === 'fact' ? ABLE_FACT : ABLE));
}

/** A function of its own, with nothing after its loop, is fast. */
function markKinds(able: Uint8Array, gone: Uint8Array, kinds: Uint8Array, marks: Uint8Array): void {
  for (let at = 0; at < able.length; at += 1) if (gone[at] === 0) able[at] = marks[kinds[at] ?? 0] ?? 0;
}

/** The thread of a run, or -2 when memory has nothing of it. */
function threadOfRun(corpus: Corpus, run: string): number {
  const number = corpus.names.run.byName.get(run);
  const at = number === undefined ? -1 : corpus.runs.subarray(0, corpus.size).indexOf(number);
  return corpus.names.thread.byName.get(run) ?? (at === -1 ? -2 : (corpus.threads[at] ?? -2));
}

/** The entries of facts that have expired or are not trusted. */
function hiddenFacts(recall: Recall): { expired: Set<number>; untrusted: Set<number> } {
  const expired = new Set<number>();
  const untrusted = new Set<number>();
  for (const { n, fact } of recall.facts.values()) {
    if (fact.expires !== undefined && Date.parse(fact.expires) <= recall.options.clock()) expired.add(n);
    if (!isTrustedFact(fact)) untrusted.add(n);
  }
  return { expired, untrusted };
}
