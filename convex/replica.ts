/**
 * Owns: everything that a deployment answers. Each function asks for the key first, and none reads a clock or a random
 * number. What comes from here is never authoritative: the ledgers are.
 */
import { v } from 'convex/values';
import { admit } from './access.ts';
import { appendTo } from './append.ts';
import { artifactShown, factShown, procedureShown, runShown } from './schema.ts';
import { headOf, withoutInternals, takePage, storedEvents, wireOf } from './stored.ts';
import { mutation, query } from './typed.ts';
import { appended, limits, pen, wireEvent, wireFields } from './wire.ts';

const whose = { ledger: v.string(), key: v.optional(v.string()) };

/** Takes events in order. What it has already it does not take twice; another history it does not take at all. */
export const append = mutation({
  args: { ...whose, pen, events: v.array(wireEvent) },
  returns: appended,
  handler: async (ctx, { key, ledger, pen, events }) => {
    admit(key);
    return appendTo(ctx, { ledger, pen }, events);
  },
});

/** The last event it has. */
export const head = query({
  args: { ...whose, pen },
  returns: v.union(v.object({ seq: v.number(), hash: v.string() }), v.null()),
  handler: async (ctx, { key, ledger, pen }) => {
    admit(key);
    const row = await headOf(ctx, { ledger, pen });
    return row === null ? null : { seq: row.seq, hash: row.hash };
  },
});

/** Events in order from a seq on; fewer than `limit` when they are large. None: there are no more. */
export const page = query({
  args: { ...whose, pen, from: v.number(), limit: v.number() },
  returns: v.array(wireEvent),
  handler: async (ctx, { key, ledger, pen, from, limit }) => {
    admit(key);
    return (await storedEvents(ctx, { ledger, pen }, from, Number.MAX_SAFE_INTEGER, limit)).map(wireOf);
  },
});

/** Runs that are not over, latest first, and the last that are. */
export const live = query({
  args: { ...whose, ended: v.optional(v.number()) },
  returns: v.object({ open: v.array(v.object(runShown)), ended: v.array(v.object(runShown)) }),
  handler: async (ctx, { key, ledger, ended }) => {
    admit(key);
    const runs = (over: boolean) =>
      ctx.db
        .query('runs')
        .withIndex('by_over', (index) => index.eq('ledger', ledger).eq('over', over))
        .order('desc');
    return {
      open: (await takePage(runs(false), limits.rows)).map((row) => withoutInternals(runShown, row)),
      ended: (await takePage(runs(true), Math.min(ended ?? 20, limits.rows))).map((row) =>
        withoutInternals(runShown, row),
      ),
    };
  },
});

/** The last events of a run, in order. */
export const runEvents = query({
  args: { ...whose, run: v.string(), pen: v.optional(pen), limit: v.number() },
  returns: v.array(v.object(wireFields)),
  handler: async (ctx, { key, ledger, run, pen, limit }) => {
    admit(key);
    const rows = ctx.db
      .query('events')
      .withIndex('by_run', (index) =>
        index
          .eq('ledger', ledger)
          .eq('run', run)
          .eq('pen', pen ?? 'run'),
      )
      .order('desc');
    return (await takePage(rows, Math.min(limit, limits.pageEvents))).map(wireOf).toReversed();
  },
});

/** Current facts. Readers decide whether one has expired: `expires` says when. */
export const facts = query({
  args: { ...whose, namespace: v.optional(v.string()) },
  returns: v.array(v.object(factShown)),
  handler: async (ctx, { key, ledger, namespace }) => {
    admit(key);
    const rows = ctx.db.query('facts').withIndex('by_namespace', (index) => {
      const current = index.eq('ledger', ledger).eq('held', true);
      return namespace === undefined ? current : current.eq('namespace', namespace);
    });
    return (await takePage(rows, limits.rows)).map((row) => withoutInternals(factShown, row));
  },
});

export const procedures = query({
  args: whose,
  returns: v.array(v.object(procedureShown)),
  handler: async (ctx, { key, ledger }) => {
    admit(key);
    const rows = ctx.db.query('procedures').withIndex('by_procedure', (index) => index.eq('ledger', ledger));
    return (await takePage(rows, limits.rows)).map((row) => withoutInternals(procedureShown, row));
  },
});

/** What is known of artifacts, latest first. */
export const artifacts = query({
  args: { ...whose, run: v.optional(v.string()) },
  returns: v.array(v.object(artifactShown)),
  handler: async (ctx, { key, ledger, run }) => {
    admit(key);
    const table = ctx.db.query('artifacts');
    const rows =
      run === undefined
        ? table.withIndex('by_at', (index) => index.eq('ledger', ledger))
        : table.withIndex('by_run', (index) => index.eq('ledger', ledger).eq('run', run));
    return (await takePage(rows.order('desc'), limits.rows)).map((row) => withoutInternals(artifactShown, row));
  },
});
