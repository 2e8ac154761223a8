/** What a rule finds in an event, and what it is worth. */
import type { Event } from '../../schema/event.ts';
import type { Evidence, Fact } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import type { Read } from '../../schema/view.ts';
import { rootOf } from '../task-record.ts';
import { sumOf } from '../index/item.ts';
import type { Subject } from './subject.ts';

/** fact: said by a person and neither an instruction nor a preference. note: said by runs alone. */
export const KINDS = ['standing', 'preference', 'lesson', 'fact', 'note', 'environment'] as const;
export type Kind = (typeof KINDS)[number];
export type Source = Fact['source'];

export type Finding = {
  kind: Kind;
  text: string;
  namespace: string;
  source: Source;
  expires?: string;
  evidence: readonly Evidence[];
  /** What it is about, where a rule knows better than the words. */
  subject?: Subject;
  /** Facts whose place it takes in any case. */
  replaces?: readonly string[];
  /** Where the rule counts; counting starts anew when a person gives the fact up. */
  counted?: string;
};

/** One way to learn. What it has to remember it keeps in the book under its own name. */
export type Rule = {
  readonly name: string;
  wants?(event: Event): readonly string[];
  find(read: Read, book: Rows): readonly Finding[];
};

export const idOf = (kind: Kind, text: string): string => `${kind}-${sumOf(`${kind}\n${text}`).slice(0, 10)}`;

/** Facts that people keep by hand have names of their own. */
export function kindOf(id: string): Kind {
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

const SURE: Readonly<Record<Source, number>> = { person: 0.9, task: 0.8, import: 0.6, run: 0.5, tool: 0.1 };
/** What is left of the doubt after one more witness. */
const DOUBT_LEFT = 0.6;

/** Grows with every task that shows it, never with one task that shows it often. */
export function confidenceOf(source: Source, evidence: readonly Evidence[], book: Rows): number {
  const witnesses = witnessesOf(evidence, book).size;
  const doubt = (1 - SURE[source]) * DOUBT_LEFT ** Math.max(0, witnesses - 1);
  return Math.round((1 - doubt) * 1000) / 1000;
}

export function witnessesOf(evidence: readonly Evidence[], book: Rows): ReadonlySet<string> {
  return new Set(evidence.map(({ run, seq }) => (run === null ? `event ${seq}` : rootOf(book, run))));
}

/** A person's word stands above what was said elsewhere, and that above what was only seen. */
const RANKS: Readonly<Record<Source, number>> = { person: 2, task: 2, import: 1, run: 0, tool: 0 };
export const rankOf = (source: Source): number => RANKS[source];

const MOST_EVIDENCE = 100;

/** Both, in the order of the ledger; of very much the first and the last are kept. */
export function joined(one: readonly Evidence[], other: readonly Evidence[]): Evidence[] {
  const bySeq = new Map([...one, ...other].map((each) => [each.seq, each]));
  const all = [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
  return all.length <= MOST_EVIDENCE ? all : [...all.slice(0, 1), ...all.slice(1 - MOST_EVIDENCE)];
}

/** A name from outside that may stand in a fact: letters and digits, nothing that could be read as a sentence. */
export const isPlainName = (name: string): boolean => /^[@A-Za-z0-9][\w.+:/@-]{0,99}$/.test(name);

export const evidenceIn = ({ run, seq }: Pick<Event, 'run' | 'seq'>): Evidence => ({ run, seq });
