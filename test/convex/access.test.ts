import { ConvexError } from 'convex/values';
import { describe, expect, it } from 'vitest';
import * as replica from '../../convex/replica.ts';
import type { Args, Kind } from '../support/convex-engine.ts';
import { openConvexServer } from '../support/convex-server.ts';

const of = { ledger: 'home', pen: 'run' } as const;
const calls: Record<keyof typeof replica, [Kind, Args]> = {
  append: ['mutation', { ...of, events: [] }],
  head: ['query', of],
  page: ['query', { ...of, from: 1, limit: 1 }],
  live: ['query', { ledger: 'home' }],
  runEvents: ['query', { ledger: 'home', run: 'r', limit: 1 }],
  facts: ['query', { ledger: 'home' }],
  procedures: ['query', { ledger: 'home' }],
  artifacts: ['query', { ledger: 'home' }],
};
const every = Object.entries(calls).map(([name, [kind, args]]) => ({ name, kind, args }));

it('every function that is public is asked here', () => {
  expect(Object.keys(calls).toSorted()).toEqual(Object.keys(replica).toSorted());
});

describe.each(every)('$name', ({ name, kind, args }) => {
  const asked = async (options: { key?: string; open?: boolean }, key?: string): Promise<unknown> => {
    await using server = await openConvexServer(options);
    return server.call(kind, `replica:${name}`, key === undefined ? args : { ...args, key }).then(
      () => 'answered',
      (error: unknown) => (error instanceof ConvexError ? (error.data as { code: string }).code : error),
    );
  };

  it('refuses everybody while the deployment has no key, unless it was opened on purpose', async () => {
    expect(await asked({})).toBe('no_key');
    expect(await asked({}, 'guess')).toBe('no_key');
    expect(await asked({ key: '' }, '')).toBe('no_key');
    expect(await asked({ open: true })).toBe('answered');
  });

  it('answers the one key, and no other, however close', async () => {
    expect(await asked({ key: 'open sesame' }, 'open sesame')).toBe('answered');
    expect(await asked({ key: 'open sesame' })).toBe('key_missing');
    expect(await asked({ key: 'open sesame', open: true })).toBe('key_missing');
    for (const wrong of ['', 'o', 'open sesamf', 'open sesame ', 'open sesameopen sesame'])
      expect(await asked({ key: 'open sesame' }, wrong)).toBe('key_wrong');
  });
});

it('the client is told why it was refused, in words for a person', async () => {
  const { api, clientOf } = await import('../support/convex-history.ts');
  await using server = await openConvexServer({ key: 'right' });
  const refused = await clientOf(server)
    .query(api.head, { ...of, key: 'wrong' })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ data: { kind: 'refused', text: 'The key is not the one of this deployment.' } });
});
