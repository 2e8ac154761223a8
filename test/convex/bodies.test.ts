import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireEvent } from '../../convex/wire.ts';
import { api, chainEvents, clientOf, type Sketch, sendAll } from '../support/convex-history.ts';
import { openConvexServer } from '../support/convex-server.ts';
import { anyCodePoint } from '../support/any-code-point.ts';
import { timesOf } from '../support/thorough.ts';

const of = { ledger: 'home', pen: 'run' } as const;

async function givenBack(sketches: Sketch[]): Promise<{ sent: WireEvent[]; back: WireEvent[] }> {
  await using server = await openConvexServer({ open: true });
  const client = clientOf(server);
  const sent = chainEvents(sketches);
  await sendAll(client, of, sent);
  return { sent, back: await client.query(api.page, { ...of, from: 1, limit: 500 }) };
}

describe('what an event says comes back byte for byte', () => {
  it.each([
    [
      'field names that a stored value may not have',
      '{"$x":1,"_y":2,"":3,"a.b":4,"größe":5,"__proto__":{"polluted":true},"constructor":6}',
    ],
    ['a very long text', JSON.stringify({ text: 'long '.repeat(100_000) })],
    ['characters of every width', JSON.stringify({ text: 'a\u0000\u007fß€😀\u2028\u202e\ufeff' })],
    ['half a surrogate pair', '{"title":"\\ud800 half","id":"\\udfff"}'],
    ['numbers beyond what a number holds', '{"n":12345678901234567890,"z":-0,"e":1e400}'],
    ['the same name twice, and space', '{ "a": 1, "a": 2 }'],
    ['deep nesting', `${'['.repeat(500)}${']'.repeat(500)}`],
    ['no object at all', 'null'],
    ['no JSON at all', '{"torn":'],
  ])('%s', async (_, text) => {
    const types = ['run.started', 'fact.kept', 'run.ended', 'procedure.drafted', 'task.received', 'change.undone'];
    const { sent, back } = await givenBack(types.map((type) => ({ type, run: 'r', body: { kind: 'plain', text } })));
    expect(back).toEqual(sent);
  });

  it('any JSON in any event that is projected', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...PROJECTED), oddData()), { maxLength: 20 }),
        async (given) => {
          const { sent, back } = await givenBack(
            given.map(([type, data]) => ({ type, run: 'r', data: data as never })),
          );
          expect(back).toEqual(sent);
        },
      ),
      { numRuns: timesOf(25, 8) },
    );
  });

  it('sealed and withheld bodies', async () => {
    const { sent, back } = await givenBack([
      { type: 'call.ended', body: { kind: 'sealed', text: '-----BEGIN AGE ENCRYPTED FILE-----\n…' } },
      { type: 'call.ended', body: { kind: 'withheld' } },
      { type: 'call.ended', body: { kind: 'withheld', why: 'its type stays here' } },
    ]);
    expect(back).toEqual(sent);
  });
});

it('data that names things which everything has does not reach beyond itself', async () => {
  await givenBack([
    { type: 'run.started', run: '__proto__', body: { kind: 'plain', text: '{"__proto__":{"title":"x"}}' } },
  ]);
  expect(({} as { title?: string }).title).toBeUndefined();
});

const RUNS = ['run.started', 'run.moved', 'run.ended', 'call.started', 'call.ended', 'wait.opened', 'task.received'];
const FACTS = ['fact.kept', 'fact.forgotten', 'fact.reworded', 'procedure.drafted', 'procedure.moved', 'change.undone'];
const PROJECTED = [...RUNS, ...FACTS];

/** Fields that projections read, with anything in them. */
function oddData(): fc.Arbitrary<object> {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: anyCodePoint }),
    fc.constant('\ud800'),
    fc.array(fc.oneof(fc.string(), fc.record({ sha256: fc.jsonValue(), bytes: fc.jsonValue() }))),
    fc.integer(),
  );
  const names = [
    'title',
    'state',
    'parent',
    'to',
    'from',
    'status',
    'reason',
    'call',
    'artifacts',
    'body',
    'files',
    'id',
  ];
  const more = [
    'text',
    'facts',
    'fact',
    'supersedes',
    'importance',
    'procedure',
    'numbers',
    'change',
    '$x',
    '_y',
    '__proto__',
  ];
  return fc.dictionary(fc.constantFrom(...names, ...more), odd, { noNullPrototype: true });
}
