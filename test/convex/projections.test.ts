import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireEvent } from '../../convex/wire.ts';
import { api, chainEvents, clientOf, type Sketch, sendAll } from '../support/convex-history.ts';
import { type ConvexServer, openConvexServer } from '../support/convex-server.ts';

const of = { ledger: 'home', pen: 'run' } as const;
const maintenance = { ledger: 'home', pen: 'maintenance' } as const;
const sha256 = 'a'.repeat(64);

let server: ConvexServer;
beforeEach(async () => {
  server = await openConvexServer({ open: true });
});
afterEach(() => server.close());

type Place = typeof of | typeof maintenance;
const append = (place: Place, events: WireEvent[]): Promise<void> => sendAll(clientOf(server), place, events);
const tell = (sketches: Sketch[], place: Place = of) => append(place, chainEvents(sketches));
const started: Sketch = { type: 'run.started', run: 'r1', data: { title: 'tidy up', state: 'PLAN', parent: 'r0' } };
const ended: Sketch = { type: 'run.ended', run: 'r1', data: { status: 'done', reason: 'all holds', artifacts: [] } };

describe('runs', () => {
  const live = () => clientOf(server).query(api.live, { ledger: 'home' });
  const statusAfter = async (...sketches: Sketch[]): Promise<string | undefined> => {
    await tell(sketches.map((sketch) => ({ run: 'r1', ...sketch })));
    const { open, ended } = await live();
    return [...open, ...ended][0]?.status;
  };

  it('a run is open from its start to its end, and tells where it stands', async () => {
    const history = chainEvents([
      started,
      { type: 'run.moved', run: 'r1', data: { from: 'PLAN', to: 'EXECUTE' } },
      ended,
    ]);
    await append(of, history.slice(0, 2));
    expect(await live()).toMatchObject({
      open: [{ run: 'r1', title: 'tidy up', status: 'running', state: 'EXECUTE', parent: 'r0', first: 1, last: 2 }],
      ended: [],
    });
    await append(of, history.slice(2));
    expect(await live()).toMatchObject({
      open: [],
      ended: [
        { run: 'r1', status: 'done', reason: 'all holds', last: 3, started: history[0]?.at, ended: history[2]?.at },
      ],
    });
  });

  it.each([
    ['blocked', [{ type: 'wait.opened', data: { wait: 'w' } }]],
    ['running', [{ type: 'wait.opened' }, { type: 'wait.closed' }]],
    ['running', [{ type: 'call.started', data: { call: 'c' } }, { type: 'wait.opened' }]],
    [
      'blocked',
      [
        { type: 'call.started', data: { call: 'c' } },
        { type: 'wait.opened' },
        { type: 'call.ended', data: { call: 'c' } },
      ],
    ],
    ['paused', [{ type: 'run.paused' }, { type: 'call.ended', data: { call: 'c' } }]],
    ['running', [{ type: 'run.paused' }, { type: 'run.resumed' }]],
    ['failed', [{ type: 'run.ended', data: { status: 'failed' } }, { type: 'run.resumed' }]],
    ['cancelled', [{ type: 'wait.opened' }, { type: 'run.ended', data: { status: 'cancelled' } }]],
  ] satisfies [string, Sketch[]][])('a run is %s after %j', async (status, sketches) => {
    expect(await statusAfter(started, ...sketches)).toBe(status);
  });

  it('where nothing can be read the types alone tell that a run began, waits and is over', async () => {
    const sealed = { body: { kind: 'sealed', text: 'age' } } as const;
    const history = chainEvents([
      { type: 'run.started', run: 'r1', ...sealed },
      { type: 'wait.opened', run: 'r1', body: { kind: 'withheld' } },
      { type: 'run.ended', run: 'r1', ...sealed },
    ]);
    await append(of, history.slice(0, 2));
    expect((await live()).open).toMatchObject([{ run: 'r1', title: null, status: 'blocked' }]);
    await append(of, history.slice(2));
    expect((await live()).ended).toMatchObject([{ run: 'r1', title: null, status: 'over', reason: null }]);
  });

  it('the latest runs come first, and of those that are over only the last', async () => {
    await tell(
      Array.from({ length: 60 }, (_, index) => [
        { ...started, run: `r${index}` },
        ...(index % 2 === 0 ? [{ ...ended, run: `r${index}` }] : []),
      ]).flat(),
    );
    const { open, ended: over } = await live();
    expect(open.map(({ run }) => run)).toEqual(Array.from({ length: 30 }, (_, index) => `r${59 - 2 * index}`));
    expect(over.map(({ run }) => run)).toEqual(Array.from({ length: 20 }, (_, index) => `r${58 - 2 * index}`));
    const few = await clientOf(server).query(api.live, { ledger: 'home', ended: 3 });
    expect(few.ended).toHaveLength(3);
  });

  it('the last events of a run are given in their order', async () => {
    const history = chainEvents([started, { ...started, run: 'r2' }, { type: 'run.planned', run: 'r1' }, ended]);
    await append(of, history);
    const asked = { ledger: 'home', run: 'r1' };
    const own = history.filter(({ run }) => run === 'r1');
    expect(await clientOf(server).query(api.runEvents, { ...asked, limit: 100 })).toEqual(own);
    expect(await clientOf(server).query(api.runEvents, { ...asked, limit: 2 })).toEqual(own.slice(-2));
    expect(await clientOf(server).query(api.runEvents, { ...asked, pen: 'maintenance', limit: 2 })).toEqual([]);
  });
});

describe('facts', () => {
  const kept = (id: string, text: string, more = {}): Sketch => ({ type: 'fact.kept', data: { id, text, ...more } });
  const held = async (namespace?: string): Promise<string[]> => {
    const facts = await clientOf(server).query(api.facts, {
      ledger: 'home',
      ...(namespace === undefined ? {} : { namespace }),
    });
    return facts.map(({ wording, text }) => wording ?? text ?? '').toSorted();
  };

  it('a fact is held from the moment it is kept until it is forgotten or another takes its place', async () => {
    await tell([
      kept('a', 'tea at four', { namespace: 'taste', importance: 0.9, source: 'person' }),
      kept('b', 'the office is in Bonn'),
      kept('c', 'the office is in Köln', { supersedes: ['b'] }),
      kept('d', 'no meetings on Fridays'),
      { type: 'fact.forgotten', data: { facts: ['d'], why: 'deleted' } },
    ]);
    expect(await held()).toEqual(['tea at four', 'the office is in Köln']);
    expect(await held('taste')).toEqual(['tea at four']);
    const { facts } = await server.dump();
    expect(facts.find(({ fact }) => fact === 'b')).toMatchObject({ held: false, superseded_by: 'c' });
    expect(facts.find(({ fact }) => fact === 'd')).toMatchObject({ held: false, text: null });
  });

  it('a fact that is kept again after it was forgotten is held again', async () => {
    const gone: Sketch = { type: 'fact.forgotten', data: { facts: ['a'], why: 'deleted' } };
    await tell([kept('a', 'first'), gone, kept('a', 'second')]);
    expect(await held()).toEqual(['second']);
  });

  it('both ledgers give the same facts in whichever order their events arrive', async () => {
    const run = chainEvents([kept('a', 'old'), kept('b', 'stays'), kept('c', 'goes'), kept('c', 'is back')]);
    const learned = chainEvents([
      { ...kept('n', 'new', { supersedes: ['a'] }), cause: 2 },
      { type: 'fact.reworded', cause: 2, data: { fact: 'b', text: 'stays, better told' } },
      { type: 'fact.forgotten', cause: 3, data: { facts: ['c'], why: 'unused' } },
    ]);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      await using fresh = await openConvexServer({ open: true });
      server = fresh;
      for (const which of order) await append(which === 0 ? of : maintenance, which === 0 ? run : learned);
      expect(await held()).toEqual(['is back', 'new', 'stays, better told']);
    }
  });

  it('what maintenance learned and a person took back changes nothing, whichever arrives first', async () => {
    const run = chainEvents([kept('a', 'old'), kept('b', 'plain'), kept('c', 'kept'), ...[1, 2, 3].map(undone)]);
    const learned = chainEvents([
      { ...kept('n', 'new', { supersedes: ['a'] }), cause: 3 },
      { type: 'fact.reworded', cause: 3, data: { fact: 'b', text: 'fancy' } },
      { type: 'fact.forgotten', cause: 3, data: { facts: ['c'], why: 'unused' } },
    ]);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      await using fresh = await openConvexServer({ open: true });
      server = fresh;
      for (const which of order) await append(which === 0 ? of : maintenance, which === 0 ? run : learned);
      expect(await held()).toEqual(['kept', 'old', 'plain']);
    }
  });

  it('a fact that cannot be read is not there', async () => {
    await tell([{ type: 'fact.kept', body: { kind: 'sealed', text: 'age' } }]);
    expect((await server.dump()).facts).toEqual([]);
  });
});

function undone(change: number): Sketch {
  return { type: 'change.undone', data: { change, reason: 'wrong' } };
}

describe('procedures', () => {
  const procedure = { id: 'p', version: 2, title: 'weekly report', trigger: ['report'], steps: ['gather', 'write'] };
  const moved = (from: string | null, to: string): Sketch => ({
    type: 'procedure.moved',
    cause: 1,
    data: { procedure: 'p', from, to, by: 'gate', numbers: { wins: 3, $odd: 1 }, reason: 'it holds' },
  });
  const shown = () => clientOf(server).query(api.procedures, { ledger: 'home' });

  it('a procedure shows its latest draft and where it stands', async () => {
    await tell(
      [{ type: 'procedure.drafted', data: { procedure } }, moved(null, 'candidate'), moved('candidate', 'promoted')],
      maintenance,
    );
    expect(await shown()).toMatchObject([
      {
        procedure: 'p',
        version: 2,
        title: 'weekly report',
        steps: ['gather', 'write'],
        status: 'promoted',
        reason: 'it holds',
      },
    ]);
  });

  it('a move that was taken back leaves a procedure where it was', async () => {
    await tell(
      [{ type: 'procedure.drafted', data: { procedure } }, moved('candidate', 'promoted'), undone(2)],
      maintenance,
    );
    expect(await shown()).toMatchObject([{ status: 'candidate' }]);
  });
});

it('of artifacts the metadata is known, each time one is named', async () => {
  await tell([
    {
      type: 'task.received',
      data: { body: { sha256, bytes: 5, name: 'TASK.md' }, files: [{ sha256, bytes: 6, name: 'a' }] },
    },
    { type: 'call.ended', run: 'r1', data: { artifacts: [{ sha256, bytes: 7, media: 'image/png' }] } },
    { ...ended, data: { status: 'done', artifacts: [{ sha256, bytes: 8, name: 'RESULT.md' }] } },
  ]);
  const all = await clientOf(server).query(api.artifacts, { ledger: 'home' });
  expect(all.map(({ seq, bytes, name, media }) => [seq, bytes, name, media])).toEqual([
    [3, 8, 'RESULT.md', 'text/plain'],
    [2, 7, null, 'image/png'],
    [1, 6, 'a', 'text/plain'],
    [1, 5, 'TASK.md', 'text/plain'],
  ]);
  const own = await clientOf(server).query(api.artifacts, { ledger: 'home', run: 'r1' });
  expect(own.map(({ bytes }) => bytes)).toEqual([8, 7]);
});
