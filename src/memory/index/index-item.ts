/** What is remembered, one piece at a time, and where each piece is known from. */
import { hash } from 'node:crypto';
import type { Event, Pen } from '../../schema/event.ts';
import type { Evidence, Fact } from '../../schema/memory.ts';

/**
 * said: a person's own words. fact: what is believed. decided: why a model chose. did: a call and its outcome.
 * judged: what the critic found. ended: how a run came out.
 */
export const KINDS = ['said', 'fact', 'decided', 'did', 'judged', 'ended'] as const;
export type Kind = (typeof KINDS)[number];

/** A piece as the ledger gives it, before it has a number. */
export type IndexEntry = {
  /** Unique; a piece with the key of an older one takes its place. */
  key: string;
  /** What a person or a program calls it by. */
  id: string;
  kind: Kind;
  who: string;
  at: string;
  /** What belongs together: a task with the runs inside it, or a stretch of a conversation. */
  thread: string;
  run: string | null;
  node: string | null;
  namespace: string;
  pen: Pen;
  seq: number;
  /** Pieces of one text are counted from 0. */
  part: number;
  text: string;
  /** Words around it that it is also found by: who, when, which task. */
  context: string;
};

export type Item = Omit<IndexEntry, 'context'> & { n: number };

export const evidenceOf = ({ run, seq }: Pick<Item, 'run' | 'seq'>): Evidence => ({ run, seq });

/** Whether what it says comes from a person: only this may shape a plan. */
export function isTrusted({ kind }: Pick<Item, 'kind'>, fact?: Pick<Fact, 'source'>): boolean {
  return kind === 'said' || (kind === 'fact' && fact?.source !== 'tool' && fact?.source !== 'import');
}

export const sumOf = (text: string): string => hash('sha256', text).slice(0, 32);

export const eventKey = (event: Pick<Event, 'pen' | 'seq'>): string => `${event.pen === 'run' ? 'e' : 'm'}${event.seq}`;
