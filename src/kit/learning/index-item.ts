/** The items of the memory index, and the event that each comes from. */
import { hash } from 'node:crypto';
import type { Event, Pen } from '../../core/schema/event.ts';
import type { Evidence, Fact } from '../../core/schema/memory.ts';

/**
 * said: a person's own words. fact: what is believed. decided: why a model chose. did: a call and its outcome, or what a
 * program wrote elsewhere. judged: what the critic found. ended: how a run came out. replied: what an assistant said, here
 * or elsewhere. pasted: what a person showed, and somebody else may have written.
 */
export const KINDS = ['said', 'fact', 'decided', 'did', 'judged', 'ended', 'replied', 'pasted'] as const;
export type Kind = (typeof KINDS)[number];

/** An item as derived from an event, before it has a number. */
export type IndexEntry = {
  /** Unique; an entry with the key of an older item replaces it. */
  key: string;
  /** What people and programs refer to it by. */
  id: string;
  kind: Kind;
  who: string;
  at: string;
  /** Groups what belongs together: a task with the runs inside it, or a part of a conversation. */
  thread: string;
  run: string | null;
  node: string | null;
  namespace: string;
  pen: Pen;
  seq: number;
  /** The number of this chunk of a long text, from 0. */
  part: number;
  /** 1 when the operator said it: in a task, in an answer, or in a conversation. */
  own: number;
  text: string;
  /** Further words it can be found by: who, when, which task. */
  context: string;
};

export type Item = Omit<IndexEntry, 'context'> & { n: number };

/** What the search needs of an item; the text is left in the store. */
export type IndexedItem = Pick<Item, 'n' | 'kind' | 'who' | 'at' | 'thread' | 'run' | 'namespace'> & {
  terms: string;
  /** The checksum of its text. */
  sum: string;
  gone: number;
};

export const evidenceOf = ({ run, seq }: Pick<Item, 'run' | 'seq'>): Evidence => ({ run, seq });

/** Whether its content comes from people or from our own runs: only such facts may shape a plan. */
export const isTrustedFact = (fact: Pick<Fact, 'id' | 'source'>): boolean =>
  fact.source === 'run' || isOperatorsFact(fact);

/** Whether the operator stated a fact. Of imports only what maintenance learned is: it reads no lines but theirs. */
export const isOperatorsFact = ({ id, source }: Pick<Fact, 'id' | 'source'>): boolean =>
  source === 'person' || source === 'task' || (source === 'import' && LEARNED_ID.test(id));

/** The id of a statement that maintenance learned (distil/fact-finding.ts). */
export const LEARNED_ID = /^(?:standing|preference|fact)-[0-9a-f]{10}$/;

export const sumOf = (text: string): string => hash('sha256', text).slice(0, 32);

export const eventKey = (event: Pick<Event, 'pen' | 'seq'>): string => `${event.pen === 'run' ? 'e' : 'm'}${event.seq}`;
