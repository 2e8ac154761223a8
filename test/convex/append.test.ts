import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Appended, limits, NOTHING, type WireEvent } from '../../convex/wire.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type * as ports from '../../src/core/schema/replica-port.ts';
import { api, chainEvents, clientOf, plainHistory, type Sketch, sendAll } from '../support/convex-history.ts';
import { type ConvexServer, openConvexServer } from '../support/convex-server.ts';
import { casesOf } from '../support/thorough.ts';

const of = { ledger: 'home', pen: 'run' } as const;

describe.each(casesOf(['convex-test', 'indexed'] as const, (engine) => engine === 'indexed'))(
  'append, executed by %s',
  (engine) => {
    const opened = (): Promise<ConvexServer> => openConvexServer({ engine, open: true });

    it('stores a history batch by batch and gives it back event for event', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = plainHistory(25);
      expect(await client.query(api.head, of)).toBeNull();
      expect(await client.mutation(api.append, { ...of, events: history.slice(0, 10) })).toEqual({
        kind: 'ok',
        next: 11,
      });
      expect(await client.mutation(api.append, { ...of, events: history.slice(10) })).toEqual({ kind: 'ok', next: 26 });
      expect(await client.query(api.head, of)).toEqual({ seq: 25, hash: history[24]?.hash });
      expect(await client.query(api.page, { ...of, from: 1, limit: 500 })).toEqual(history);
      expect(await client.query(api.page, { ...of, from: 8, limit: 3 })).toEqual(history.slice(7, 10));
      expect(await client.query(api.page, { ...of, from: 26, limit: 500 })).toEqual([]);
    });

    it('takes what it has already any number of times, in any overlap, and stores it once', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = plainHistory(20);
      for (const [from, to] of [
        [0, 8],
        [0, 8],
        [3, 12],
        [0, 5],
        [12, 12],
        [11, 20],
        [0, 20],
      ] as const)
        await client.mutation(api.append, { ...of, events: history.slice(from, to) });
      const { events, heads } = await server.dump();
      expect(events.map(({ seq }) => seq)).toEqual(history.map(({ seq }) => seq));
      expect(heads).toHaveLength(1);
      expect(await client.mutation(api.append, { ...of, events: history.slice(0, 5) })).toEqual({
        kind: 'ok',
        next: 21,
      });
    });

    it('an empty batch asks where to go on', async () => {
      await using server = await opened();
      expect(await clientOf(server).mutation(api.append, { ...of, events: [] })).toEqual({ kind: 'ok', next: 1 });
    });

    it('a batch behind a gap is refused, and says where to go on', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = plainHistory(20);
      expect(await client.mutation(api.append, { ...of, events: history.slice(1) })).toEqual({ kind: 'gap', next: 1 });
      await client.mutation(api.append, { ...of, events: history.slice(0, 5) });
      expect(await client.mutation(api.append, { ...of, events: history.slice(7) })).toEqual({ kind: 'gap', next: 6 });
      expect((await server.dump()).events).toHaveLength(5);
    });

    it('another history with the same numbers is a fork, and nothing of it is stored', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = plainHistory(10);
      const other = [...history.slice(0, 6), ...chainEvents([{}, {}, {}, {}, {}, {}], history[5])];
      await client.mutation(api.append, { ...of, events: history });
      expect(await client.mutation(api.append, { ...of, events: other })).toEqual({
        kind: 'fork',
        seq: 7,
        theirs: other[6]?.hash,
        ours: history[6]?.hash,
      });
      expect(await client.query(api.page, { ...of, from: 1, limit: 500 })).toEqual(history);
    });

    it('a batch that does not join the head, or itself, is broken at the event that does not', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = plainHistory(10);
      const append = (events: WireEvent[]) => client.mutation(api.append, { ...of, events });
      expect(await append(chainEvents([{}], { seq: 0, hash: 'f'.repeat(64) }))).toEqual({ kind: 'broken', seq: 1 });
      await append(history.slice(0, 4));
      expect(await append(plainHistory(10, 'other').slice(4))).toEqual({ kind: 'broken', seq: 5 });
      expect(await append([...history.slice(4, 6), ...history.slice(7)])).toEqual({ kind: 'broken', seq: 8 });
      expect(await append([...history.slice(4, 6), ...plainHistory(10, 'x').slice(6)])).toEqual({
        kind: 'broken',
        seq: 7,
      });
      expect(await append([...history.slice(2, 3), ...history.slice(2, 6)])).toEqual({ kind: 'broken', seq: 3 });
      expect(await append(chainEvents([{}], { seq: -1, hash: NOTHING.hash }))).toEqual({ kind: 'broken', seq: 0 });
      expect((await server.dump()).events).toHaveLength(4);
    });

    it('homes and pens do not see each other', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const places = [of, { ledger: 'home', pen: 'maintenance' }, { ledger: 'other', pen: 'run' }] as const;
      for (const [index, place] of places.entries())
        await client.mutation(api.append, { ...place, events: plainHistory(3 + index, place.ledger + place.pen) });
      for (const [index, place] of places.entries()) {
        expect(await client.query(api.page, { ...place, from: 1, limit: 500 })).toEqual(
          plainHistory(3 + index, place.ledger + place.pen),
        );
      }
    });

    it('a body too large for a document is refused by its seq, and goes when it is withheld', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const text = JSON.stringify({ text: 'ü'.repeat(limits.textBytes / 2) });
      const events = chainEvents([{}, { body: { kind: 'plain', text } }]);
      const bytes = Buffer.byteLength(text);
      expect(await client.mutation(api.append, { ...of, events })).toEqual({
        kind: 'too_large',
        seq: 2,
        bytes,
        most: limits.textBytes,
      });
      const withheld = events.map((event) => ({ ...event, body: { kind: 'withheld', why: 'too large' } as const }));
      expect(await client.mutation(api.append, { ...of, events: withheld })).toEqual({ kind: 'ok', next: 3 });
      expect(await client.query(api.page, { ...of, from: 1, limit: 10 })).toEqual(withheld);
    });

    it('a batch that is too much for one call is taken up to `next`, and so is one that is sent again', async () => {
      await using server = await opened();
      const client = clientOf(server);
      const history = chainEvents(
        Array.from({ length: 14 }, () => ({ body: { kind: 'sealed', text: 'x'.repeat(800 * 1024) } as const })),
      );
      const nexts: number[] = [];
      for (let next = 1; next <= history.length; nexts.push(next)) {
        const answer = await client.mutation(api.append, { ...of, events: history.slice(next - 1) });
        if (answer.kind !== 'ok') throw new Error(answer.kind);
        ({ next } = answer);
      }
      expect(nexts).toEqual([8, 15]);
      const again = await client.mutation(api.append, { ...of, events: history });
      expect(again).toEqual({ kind: 'ok', next: 7 });
      const pages: WireEvent[] = [];
      for (let page: WireEvent[] | null = null; page === null || page.length > 0; pages.push(...page))
        page = await client.query(api.page, { ...of, from: pages.length + 1, limit: 500 });
      expect(pages).toEqual(history);
    });
  },
);

it('no more than 500 events are given at once, and no more than 1000 taken, be each of a run of its own', async () => {
  await using server = await openConvexServer({ engine: 'indexed', open: true });
  const client = clientOf(server);
  const history = chainEvents(Array.from({ length: 1200 }, (_, index) => ({ type: 'run.started', run: `r${index}` })));
  expect(await client.mutation(api.append, { ...of, events: history })).toEqual({ kind: 'ok', next: 1001 });
  expect(await client.query(api.page, { ...of, from: 1, limit: 9999 })).toHaveLength(500);
  expect(await client.query(api.page, { ...of, from: 1, limit: 0 })).toEqual([]);
});

/** Enough that not all of them go at once. */
const SOME = 6;

it.each([
  ['facts by the thousand', (): Sketch => ({ type: 'fact.forgotten', data: { facts: ids(700) } })],
  ['facts that take the place of many', (index: number): Sketch => kept(`n${index}`, ids(100))],
  ['artifacts by the thousand', (): Sketch => ({ type: 'task.received', data: { files: ids(1000).map(artifact) } })],
  ['changes taken back', (index: number): Sketch => ({ type: 'change.undone', data: { change: index + 1 } })],
])('%s: a call stays within the limits of a transaction, and the next goes on', async (_, sketch) => {
  await using server = await openConvexServer({ engine: 'indexed', open: true });
  const forgotten = chainEvents(
    Array.from({ length: SOME }, () => ({ type: 'fact.forgotten', data: { facts: ids(100) } })),
  );
  await sendAll(clientOf(server), { ledger: 'home', pen: 'maintenance' }, forgotten);
  const history = chainEvents(Array.from({ length: SOME }, (_, index) => sketch(index)));
  await sendAll(clientOf(server), of, history);
});

const ids = (length: number): string[] => Array.from({ length }, (_, index) => `f${index}`);
const artifact = (name: string): Json => ({ sha256: 'a'.repeat(64), bytes: 1, name });
const kept = (id: string, supersedes: string[]): Sketch => ({ type: 'fact.kept', data: { id, text: 'x', supersedes } });

it('arguments of another shape are refused', async () => {
  await using server = await openConvexServer({ open: true });
  const events = [{ seq: 1, type: 'worker.started' }] as unknown as WireEvent[];
  await expect(clientOf(server).mutation(api.append, { ...of, events })).rejects.toThrow('ArgumentValidationError');
});

it('what the replica port sends and expects is what the functions take and answer', () => {
  expectTypeOf<ports.WireEvent>().toExtend<WireEvent>();
  expectTypeOf<Exclude<Appended, { kind: 'too_large' }>>().toEqualTypeOf<ports.Appended>();
});
