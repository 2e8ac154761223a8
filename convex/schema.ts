/**
 * Owns: the tables. `heads` and `events` are the copy of the ledgers; the others are projected from events whose data
 * can be read, and contain nothing that is not in `events`. `ledger` names one home, so that several share a deployment.
 */
import { defineSchema, defineTable } from 'convex/server';
import { v } from 'convex/values';
import { pen, wireFields } from './wire.ts';

const ledger = v.string();
const text = v.union(v.string(), v.null());

/** A place on the common time line of both ledgers: `own` is 0 for the run ledger, else the seq in the other one. */
const place = v.object({ run: v.number(), own: v.number() });
const placed = v.union(place, v.null());

export const runShown = {
  run: v.string(),
  title: text,
  status: v.union(
    v.literal('running'),
    v.literal('blocked'),
    v.literal('paused'),
    v.literal('done'),
    v.literal('failed'),
    v.literal('cancelled'),
    /** It ended, and how cannot be read. */
    v.literal('over'),
  ),
  over: v.boolean(),
  state: text,
  parent: text,
  started: text,
  ended: text,
  reason: text,
  /** Seq of its first and its latest event, and when that was. */
  first: v.number(),
  last: v.number(),
  at: v.string(),
  waits: v.number(),
};

export const factShown = {
  fact: v.string(),
  namespace: v.string(),
  /** As it was recorded; null when it was forgotten, or when only that is known. */
  text,
  /** In better words, if there are any. */
  wording: text,
  importance: v.number(),
  confidence: v.number(),
  source: v.string(),
  expires: text,
  superseded_by: text,
  pen,
  seq: v.number(),
  at: v.string(),
};

export const procedureShown = {
  procedure: v.string(),
  version: v.number(),
  title: text,
  trigger: v.array(v.string()),
  steps: v.array(v.string()),
  status: v.union(
    v.literal('candidate'),
    v.literal('promoted'),
    v.literal('demoted'),
    v.literal('retired'),
    v.literal('undone'),
  ),
  reason: text,
  /** What speaks for it and against it, as JSON. */
  numbers: text,
  at: v.string(),
};

export const artifactShown = {
  sha256: v.string(),
  bytes: v.number(),
  media: v.string(),
  name: text,
  run: text,
  pen,
  seq: v.number(),
  at: v.string(),
};

export default defineSchema({
  heads: defineTable({ ledger, pen, seq: v.number(), hash: v.string(), at: v.string() }).index('by_pen', [
    'ledger',
    'pen',
  ]),
  events: defineTable({ ledger, pen, ...wireFields })
    .index('by_seq', ['ledger', 'pen', 'seq'])
    .index('by_run', ['ledger', 'run', 'pen', 'seq']),
  /** `calls` are in progress, as far as they can be read. */
  runs: defineTable({ ledger, ...runShown, calls: v.array(v.string()) })
    .index('by_run', ['ledger', 'run'])
    .index('by_over', ['ledger', 'over', 'last']),
  facts: defineTable({
    ledger,
    ...factShown,
    held: v.boolean(),
    kept: placed,
    gone: placed,
    superseded: placed,
    reworded: placed,
  })
    .index('by_fact', ['ledger', 'fact'])
    .index('by_namespace', ['ledger', 'held', 'namespace']),
  procedures: defineTable({ ledger, ...procedureShown, drafted: placed, moved: placed }).index('by_procedure', [
    'ledger',
    'procedure',
  ]),
  artifacts: defineTable({ ledger, ...artifactShown })
    .index('by_at', ['ledger', 'at'])
    .index('by_run', ['ledger', 'run', 'at']),
  /** Changes of the maintenance ledger that were undone, by their seq. */
  undone: defineTable({ ledger, change: v.number(), place }).index('by_change', ['ledger', 'change']),
});
