/** What a rule finds in an event, and how much confidence it deserves. */
import type { Event } from '../../../core/schema/event.ts';
import type { Evidence, Fact } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { Read } from '../../../core/schema/view.ts';
import { rootOf } from '../../../kit/learning/task-record.ts';
import { sumOf } from '../../../kit/learning/index-item.ts';
import type { Subject } from './fact-subject.ts';

/** A fact was stated by a person and is neither an instruction nor a preference; a note comes from runs alone. */
const KINDS = ['standing', 'preference', 'lesson', 'fact', 'note', 'environment'] as const;
export type Kind = (typeof KINDS)[number];
export type Source = Fact['source'];

export type Finding = {
  kind: Kind;
  text: string;
  namespace: string;
  source: Source;
  expires?: string;
  evidence: readonly Evidence[];
  /** Its subject, when the rule knows it better than the text shows. */
  subject?: Subject;
  /** Facts that it supersedes in any case. */
  replaces?: readonly string[];
  /** The key of the rule's counter, which is reset when a person removes the fact. */
  counted?: string;
};

/** A rule that learns from events. It stores what it has to remember in rows of its own. */
export type Rule = {
  readonly name: string;
  wants?(event: Event): readonly string[];
  find(read: Read, rows: Rows): readonly Finding[];
};

export const factId = (kind: Kind, text: string): string => `${kind}-${sumOf(`${kind}\n${text}`).slice(0, 10)}`;

/** Facts that people state directly have ids of other forms. */
export function kindOfFact(id: string): Kind {
  const [head = ''] = id.split('-', 1);
  return KINDS.find((kind) => kind === head) ?? 'fact';
}

export const IMPORTANCE: Readonly<Record<Kind, number>> = {
  standing: 0.9,
  lesson: 0.7,
  preference: 0.6,
  fact: 0.6,
  note: 0.4,
  environment: 0.3,
};

const BASE_CONFIDENCE: Readonly<Record<Source, number>> = { person: 0.9, task: 0.8, import: 0.6, run: 0.5, tool: 0.1 };
/** The share of doubt that remains after one more independent task. */
const DOUBT_LEFT = 0.6;

/** Confidence grows with each independent task, not with repetitions within one task. */
export function computeConfidence(source: Source, evidence: readonly Evidence[], rows: Rows): number {
  const witnesses = independentTasks(evidence, rows).size;
  const doubt = (1 - BASE_CONFIDENCE[source]) * DOUBT_LEFT ** Math.max(0, witnesses - 1);
  return Math.round((1 - doubt) * 1000) / 1000;
}

export function independentTasks(evidence: readonly Evidence[], rows: Rows): ReadonlySet<string> {
  return new Set(evidence.map(({ run, seq }) => (run === null ? `event ${seq}` : rootOf(rows, run))));
}

/** A person's word ranks above imported statements, and those above observations. */
const RANKS: Readonly<Record<Source, number>> = { person: 2, task: 2, import: 1, run: 0, tool: 0 };
export const sourceRank = (source: Source): number => RANKS[source];

const MAX_EVIDENCE = 100;

/** Merges evidence in ledger order; of too much, the first and the latest entries remain. */
export function mergeEvidence(one: readonly Evidence[], other: readonly Evidence[]): Evidence[] {
  const bySeq = new Map([...one, ...other].map((each) => [each.seq, each]));
  const all = [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
  return all.length <= MAX_EVIDENCE ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_EVIDENCE)];
}

/** Whether an external name may appear in a fact: it must not be readable as a sentence. */
export const isPlainName = (name: string): boolean => /^[@A-Za-z0-9][\w.+:/@-]{0,99}$/.test(name);

export const evidenceOfEvent = ({ run, seq }: Pick<Event, 'run' | 'seq'>): Evidence => ({ run, seq });
