import { setImmediate as breathe } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doTouch, type Reach } from '../../../src/kit/desk/reach.ts';
import { deskTurns } from '../../../src/rooms/desk/desk-turns.ts';
import { latch } from '../../support/engine-fakes.ts';

const nothingOpen = (): Promise<void> => Promise.resolve();
const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const reach: fc.Arbitrary<Reach> = fc.record(
  {
    place: fc.array(path, { maxLength: 3 }),
    outside: fc.array(
      path.map((each) => `/${each}`),
      { maxLength: 2 },
    ),
    reads: fc.array(path, { maxLength: 2 }),
    lists: fc.array(path, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

describe('deskTurns', () => {
  it('D1 those that touch never work at the same time, go in the order of asking, and everybody gets a turn', async () => {
    const asked = fc.array(fc.record({ reach, steps: fc.nat(4), isStopped: fc.boolean() }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(asked, async (all) => {
        const inTurn = deskTurns(nothingOpen);
        const working = new Set<number>();
        const order: number[] = [];
        const done = all.map((each, index) => {
          const stop = new AbortController();
          const work = async (): Promise<string> => {
            for (const other of working) expect(doTouch(each.reach, all[other]?.reach ?? {})).toBe(false);
            working.add(index);
            order.push(index);
            for (let step = 0; step < each.steps; step += 1) await breathe();
            working.delete(index);
            return 'worked';
          };
          const turn = inTurn(work, { reach: each.reach, stop: { signal: stop.signal, value: 'stopped' } });
          if (each.isStopped) setImmediate(() => stop.abort());
          return turn;
        });
        expect(await Promise.all(done)).toHaveLength(all.length);
        const pairs = order.flatMap((one, at) => order.slice(at + 1).map((later) => [one, later] as const));
        for (const [one, later] of pairs)
          if (doTouch(all[one]?.reach ?? {}, all[later]?.reach ?? {})) expect(one).toBeLessThan(later);
      }),
    );
  });

  it('those that read the same are at work together, and whoever changes it waits for all of them', async () => {
    const inTurn = deskTurns(nothingOpen);
    const gate = latch();
    const working: string[] = [];
    const ask = (name: string, reach: Reach): Promise<void> =>
      inTurn(() => (working.push(name), gate.promise), { reach });
    const all = [
      ask('one', { place: ['x'], reads: ['data'] }),
      ask('two', { place: [], reads: ['data/prices'] }),
      ask('changes it', { place: ['data/prices'] }),
      ask('reads it later', { place: [], reads: ['data'] }),
    ];
    await breathe();
    expect(working).toEqual(['one', 'two']);
    gate.resolve();
    await Promise.all(all);
    expect(working).toEqual(['one', 'two', 'changes it', 'reads it later']);
  });

  it('what a run only reads does not wait for its own writing, and for that of others it does', async () => {
    const inTurn = deskTurns(nothingOpen);
    const gate = latch();
    const working: string[] = [];
    const ask = (name: string, run: string, reach: Reach): Promise<void> =>
      inTurn(() => (working.push(name), name === 'writes' ? gate.promise : nothingOpen()), { reach, run });
    const all = [
      ask('writes', 'one', { place: ['data'] }),
      ask('other reads', 'two', { place: [], reads: ['data/prices'] }),
      ask('reads', 'one', { place: [], reads: ['data/prices'] }),
      ask('writes again', 'one', { place: ['data'] }),
    ];
    await breathe();
    expect(working).toEqual(['writes', 'reads']);
    gate.resolve();
    await Promise.all(all);
    expect(working).toEqual(['writes', 'reads', 'other reads', 'writes again']);
  });

  it('a list of names waits for those who change the folder, and not for those below it; all of the desk is every place', async () => {
    const inTurn = deskTurns(nothingOpen);
    const gate = latch();
    const working: string[] = [];
    const ask = (name: string, reach: Reach): Promise<void> =>
      inTurn(() => (working.push(name), name === 'writes' ? gate.promise : nothingOpen()), { reach });
    const all = [
      ask('writes', { place: ['data/prices'] }),
      ask('lists it', { place: [], lists: ['data/prices'] }),
      ask('lists what is in it', { place: [], lists: ['data/prices/old'] }),
      ask('searches the desk', { place: [], reads: ['.'] }),
      ask('lists the folder above', { place: [], lists: ['data'] }),
      ask('lists the desk', { place: [], lists: ['.'] }),
    ];
    await breathe();
    expect(working).toEqual(['writes', 'lists the folder above', 'lists the desk']);
    gate.resolve();
    await Promise.all(all);
    expect(working.slice(3)).toEqual(['lists it', 'lists what is in it', 'searches the desk']);
  });

  it('who waits is told for whom, and who need not wait is not', async () => {
    const inTurn = deskTurns(nothingOpen);
    const gate = latch();
    const behind: unknown[] = [];
    const ask = (run: string, place: string[], work: () => Promise<void>): Promise<void> =>
      inTurn(work, { reach: { place }, run, onWait: (whom) => behind.push([run, whom]) });
    const long = ask('long', ['a'], () => gate.promise);
    await ask('beside', ['b'], nothingOpen);
    const next = ask('next', ['a/b'], nothingOpen);
    gate.resolve();
    await Promise.all([long, next]);
    expect(behind).toEqual([['next', 'long']]);
    const [first, second] = [latch(), latch()];
    behind.length = 0;
    const all = [ask('first', ['a'], () => first.promise), ask('second', ['a'], () => second.promise)];
    all.push(ask('third', ['a'], nothingOpen));
    first.resolve();
    await all[0];
    await breathe();
    expect(behind).toEqual([
      ['second', 'first'],
      ['third', 'second'],
    ]);
    second.resolve();
    await Promise.all(all);
  });

  it('however many wait, each is told once', async () => {
    const inTurn = deskTurns(nothingOpen);
    let told = 0;
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        inTurn(() => breathe(), { run: `run-${index}`, onWait: () => (told += 1) }),
      ),
    );
    expect(told).toBe(29);
  });

  it('who is behind one that gives way is told of the one before', async () => {
    const inTurn = deskTurns(nothingOpen);
    const [gate, stop] = [latch(), new AbortController()];
    const behind: unknown[] = [];
    const first = inTurn(() => gate.promise, { run: 'first' });
    const second = inTurn(nothingOpen, { run: 'second', stop: { signal: stop.signal, value: undefined } });
    const third = inTurn(nothingOpen, { run: 'third', onWait: (whom) => behind.push(whom) });
    stop.abort();
    gate.resolve();
    await Promise.all([first, second, third]);
    expect(behind).toEqual(['second', 'first']);
  });

  it('D2 what is open elsewhere holds nobody up', async () => {
    const inTurn = deskTurns(({ place }) =>
      place?.includes('a') === true ? new Promise(() => undefined) : nothingOpen(),
    );
    void inTurn(nothingOpen, { reach: { place: ['a'] } });
    expect(await inTurn(async () => 'done', { reach: { place: ['b'] } })).toBe('done');
  });
});
