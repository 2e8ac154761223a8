import { describe, expect, it } from 'vitest';
import type { Author } from '../../../src/core/schema/tool.ts';
import { actsOnItsInput, createRestore } from '../../../src/core/chain/restore-originals.ts';
import { callOf } from '../../support/engine-fakes.ts';

const restore = createRestore(async (_, masked) => (masked === 'echo [redacted:A]' ? 'echo hunter2' : null));
const call = (input: unknown, author: Author) => callOf({ input: input as never, author });

describe('restoring masked texts', () => {
  it('a call without a mark is the one that was made', async () => {
    const given = call({ line: 'ls [a-z]*' }, 'operator');
    expect(await restore(given)).toBe(given);
  });

  it('what the operator wrote is restored, wherever it is in the input', async () => {
    const given = call({ argv: ['sh', '-c', 'echo [redacted:A]'], n: 1, on: true, none: null }, 'operator');
    expect(await restore(given)).toMatchObject({
      input: { argv: ['sh', '-c', 'echo hunter2'], n: 1, on: true, none: null },
    });
  });

  it.each([
    ['a text without an original', { line: 'cat [redacted:A]' }],
    ['a key', { '[redacted:A]': 1 }],
    ['one of two texts', { argv: ['echo [redacted:A]', '[redacted:B]'] }],
  ])('a call is refused because of %s', async (_, input) => {
    expect(await restore(call(input, 'operator'))).toMatchObject({
      status: 'denied',
      error: expect.stringContaining('Hand in the task again'),
    });
  });

  it('O1 a model gets nothing, even for a text that the operator wrote', async () => {
    expect(await restore(call({ line: 'echo [redacted:A]' }, 'model'))).toMatchObject({
      status: 'denied',
      error: expect.stringContaining('[redacted:A]'),
    });
  });

  it('tools that only talk, think or remember may be given marks', () => {
    expect(actsOnItsInput({ targets: ['line'] })).toBe(true);
    expect(actsOnItsInput({ targets: [] })).toBe(false);
    expect(actsOnItsInput({ targets: ['graph'], internal: true })).toBe(false);
  });
});
