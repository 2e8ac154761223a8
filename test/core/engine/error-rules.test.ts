import { expect, it } from 'vitest';
import { isTimeLimit, missingTool, pauseInError } from '../../../src/core/engine/error-rules.ts';

it.each<[string, number | null]>([
  ['http://x/ answered 429 (retry after 7 s): slow down', 7000],
  ['Too many requests. Please try again in 1.5 minutes', 90_000],
  ['rate limit exceeded, retry-after: 30', 30_000],
  ['rate_limit: wait 250 ms', 250],
  ['429 Too Many Requests', null],
  ['rate limited; try again in 9 hours', null],
  ['rate limited; try again in 0 s', null],
  ['the disk is full; try again in 5 s', null],
])('the pause that "%s" asks for is %s', (error, ms) => {
  expect(pauseInError(error)).toBe(ms);
});

it('a time limit and a missing tool are recognised by the words of the chain', () => {
  expect(isTimeLimit('it did not end within 0.5 s and was stopped')).toBe(true);
  expect(isTimeLimit('the server says it did not end')).toBe(false);
  expect(missingTool('there is no tool "mail.send"')).toBe('mail.send');
  expect(missingTool('stderr: there is no tool "x"')).toBeNull();
});
