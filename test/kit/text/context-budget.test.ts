import { describe, expect, it } from 'vitest';
import { messageTokens } from '../../../src/kit/text/context-budget.ts';

describe('the message of a role', () => {
  it.each([
    [null, 4000],
    [8192, 4000],
    [32_768, 8192],
    [128_000, 32_000],
    [1_000_000, 40_000],
  ])('with a context window of %s tokens may have %i tokens', (context, tokens) => {
    expect(messageTokens(context)).toBe(tokens);
  });
});
