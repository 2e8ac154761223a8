import type { ConvexHttpClient } from 'convex/browser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Appended, WireEvent } from '../../convex/wire.ts';
import { everyFault } from '../support/convex-faults.ts';
import { api, chainEvents, clientOf, plainHistory, type Sketch } from '../support/convex-history.ts';
import { type ConvexServer, openConvexServer } from '../support/convex-server.ts';
import { timesOf } from '../support/thorough.ts';

const of = { ledger: 'home', pen: 'run' } as const;

/** Sends until everything is there, as a careful client does: in doubt again, and on from where it is told. */
async function insist(client: ConvexHttpClient, events: readonly WireEvent[], batch: number): Promise<number> {
  let [next, failures] = [1, 0];
  while (next <= events.length) {
    const part = events.slice(next - 1, next - 1 + batch);
    const answer: Appended | null = await client.mutation(api.append, { ...of, events: part }).catch(() => null);
    if (answer === null) failures += 1;
    else if (answer.kind === 'ok' || answer.kind === 'gap') ({ next } = answer);
    else throw new Error(JSON.stringify(answer));
  }
  return failures;
}

describe.each(['convex-test', 'indexed'] as const)('over HTTP, executed by %s', (engine) => {
  it('errors, lost answers, cut connections, duplicates and late ones leave one copy of each event', async () => {
    await using server = await openConvexServer({ engine, open: true, seed: 7, faults: everyFault(0.08) });
    const history = plainHistory(600);
    const failures = await insist(clientOf(server), history, 10);
    server.setFaults({});
    const { failBefore, failAfter, dropBefore, dropAfter, duplicate, late } = server.counts;
    expect(failures).toBe(failBefore + failAfter + dropBefore + dropAfter);
    for (const count of [failBefore, failAfter, dropBefore, dropAfter, duplicate, late])
      expect(count).toBeGreaterThan(0);
    const { events, heads } = await server.dump();
    expect(events.map(({ seq, hash }) => ({ seq, hash }))).toEqual(history.map(({ seq, hash }) => ({ seq, hash })));
    expect(heads).toMatchObject([{ seq: 600, hash: history.at(-1)?.hash }]);
  });
});

it('the same seed goes wrong in the same places', async () => {
  const counted = async (seed: number) => {
    await using server = await openConvexServer({ engine: 'indexed', open: true, seed, faults: everyFault(0.1) });
    await insist(clientOf(server), plainHistory(40), 2);
    return server.counts;
  };
  expect(await counted(3)).toEqual(await counted(3));
  expect(await counted(3)).not.toEqual(await counted(4));
});

it('a deployment that is slow, or down, answers again when it is back', async () => {
  await using server = await openConvexServer({ open: true, faults: { latencyMs: [1, 5], failBefore: 1 } });
  const client = clientOf(server);
  await expect(client.query(api.head, of)).rejects.toThrow('try again later');
  server.setFaults({ dropBefore: 1 });
  await expect(client.query(api.head, of)).rejects.toThrow('fetch failed');
  server.setFaults({});
  expect(await client.query(api.head, of)).toBeNull();
});

it('clients that send the same history at once store it once', async () => {
  await using server = await openConvexServer({ open: true });
  const history = plainHistory(120);
  await Promise.all([7, 10, 13].map((batch) => insist(clientOf(server), history, batch)));
  expect((await server.dump()).events.map(({ seq }) => seq)).toEqual(history.map(({ seq }) => seq));
});

it('what is changed behind the back of the functions is seen by who compares', async () => {
  await using server = await openConvexServer({ open: true });
  const client = clientOf(server);
  const history = plainHistory(10);
  await insist(client, history, 10);
  await server.tamper(async (ctx) => {
    const event = (await ctx.db.query('events').collect())[4];
    if (event !== undefined) await ctx.db.patch(event._id, { hash: 'f'.repeat(64) });
  });
  expect(await client.mutation(api.append, { ...of, events: history })).toMatchObject({ kind: 'fork', seq: 5 });
  await server.tamper(async (ctx) => {
    const head = await ctx.db.query('heads').first();
    if (head !== null) await ctx.db.patch(head._id, { hash: 'f'.repeat(64) });
  });
  expect(await client.query(api.head, of)).toEqual({ seq: 10, hash: 'f'.repeat(64) });
  const more = chainEvents([{}], history.at(-1));
  expect(await client.mutation(api.append, { ...of, events: more })).toEqual({ kind: 'broken', seq: 11 });
});

it('both engines store the same, whatever is told in whichever batches', async () => {
  const ids = fc.constantFrom('a', 'b', 'c');
  const data = fc.record({
    id: ids,
    fact: ids,
    call: ids,
    procedure: ids,
    to: fc.constantFrom('promoted', 'retired', 'PLAN'),
    text: fc.string(),
    facts: fc.array(ids),
    supersedes: fc.array(ids),
    change: fc.integer({ min: 1, max: 8 }),
    title: fc.string(),
  });
  const types = ['run.started', 'run.paused', 'run.ended', 'wait.opened', 'wait.closed', 'call.started', 'call.ended'];
  const learned = ['fact.kept', 'fact.forgotten', 'fact.reworded', 'procedure.moved', 'change.undone'];
  const sketch: fc.Arbitrary<Sketch> = fc.record({
    type: fc.constantFrom(...types, ...learned),
    run: ids,
    cause: fc.integer({ min: 1, max: 8 }),
    data,
  });
  const batch = fc.tuple(fc.constantFrom('run', 'maintenance'), fc.array(sketch, { maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 5 }), async (batches) => {
      await using one = await openConvexServer({ engine: 'indexed', open: true });
      await using other = await openConvexServer({ engine: 'convex-test', open: true });
      expect(await storedAfter(one, batches)).toEqual(await storedAfter(other, batches));
    }),
    { numRuns: timesOf(40, 5) },
  );
});

async function storedAfter(server: ConvexServer, batches: [pen: string, sketches: Sketch[]][]): Promise<object> {
  const ends: Record<string, WireEvent | undefined> = {};
  for (const [pen, sketches] of batches) {
    const events = chainEvents(sketches, ends[pen]);
    const answer = await server.call('mutation', 'replica:append', { ledger: 'home', pen, events });
    const { next } = answer as { next: number };
    ends[pen] = events.find(({ seq }) => seq === next - 1) ?? ends[pen];
  }
  const dump = Object.entries(await server.dump());
  return Object.fromEntries(dump.map(([table, rows]) => [table, rows.map(({ _id, _creationTime, ...row }) => row)]));
}
