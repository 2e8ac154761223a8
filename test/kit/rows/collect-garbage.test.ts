import { expect, it } from 'vitest';
import { collectGarbage } from '../../../src/kit/rows/collect-garbage.ts';

it('what nobody refers to is gone afterwards, although nothing needed its room', async () => {
  const unused = new WeakRef(new Float64Array(100_000));
  await collectGarbage();
  expect(unused.deref()).toBeUndefined();
});
