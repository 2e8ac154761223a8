import { expect, it } from 'vitest';
import { askOrDo } from '../../../src/kit/cli/host-here.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';

/** Work of which each attempt ends with the next of these. */
function attempts(...ends: (string | Error)[]): { work: () => Promise<string>; left: () => number } {
  const work = async (): Promise<string> => {
    const end = ends.shift() ?? 'nothing left';
    if (end instanceof Error) throw end;
    return end;
  };
  return { work, left: () => ends.length };
}

const taken = new OkaError('pen-held', 'the ledger is being written by a worker that has just started');

it('a worker that starts between the look for it and taking the pen is asked', async () => {
  const { work } = attempts(taken, 'asked');
  expect(await askOrDo(work)).toBe('asked');
});

it('whoever has the pen and still is not asked is reported, and nothing goes round for ever', async () => {
  const { work, left } = attempts(taken, taken, 'never');
  await expect(askOrDo(work)).rejects.toBe(taken);
  expect(left()).toBe(1);
});

it('work that failed for another reason may have done something, and is not repeated', async () => {
  const refused = new OkaError('refused', 'the worker is busy on the desk');
  const { work, left } = attempts(refused, 'never');
  await expect(askOrDo(work)).rejects.toBe(refused);
  expect(left()).toBe(1);
});
