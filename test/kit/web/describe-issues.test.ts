import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues } from '../../../src/kit/web/describe-issues.ts';

describe('what is wrong with a request', () => {
  it('names what is missing in plain words, and what has another shape with the reason', () => {
    const { error } = z.object({ a: z.string(), b: z.string().max(2), c: z.number() }).safeParse({ b: 'long' });
    expect(error && describeIssues(error, 'parameter')).toBe(
      'parameter "a" is missing; parameter "b": Too big: expected string to have <=2 characters; parameter "c" is missing',
    );
  });
});
