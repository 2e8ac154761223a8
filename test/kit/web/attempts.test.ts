import { expect, it } from 'vitest';
import { countAttempts } from '../../../src/kit/web/login/attempts.ts';

it('a stranger makes only themselves wait, longer each time, and a right answer starts afresh', () => {
  let now = 1000;
  const attempts = countAttempts(() => now);
  for (let each = 0; each < 5; each += 1) expect(attempts.begin('stranger')).toBe(0);
  expect(attempts.begin('stranger')).toBe(1);
  expect(attempts.begin('owner')).toBe(0);
  now += 1000;
  expect(attempts.begin('stranger')).toBe(0);
  expect(attempts.begin('stranger')).toBe(2);
  attempts.succeeded('stranger');
  expect(attempts.begin('stranger')).toBe(0);
});

it('whoever comes from many places waits, too', () => {
  const attempts = countAttempts(() => 1000);
  const allowed = Array.from({ length: 500 }, (_, source) => attempts.begin(String(source))).filter(
    (wait) => wait === 0,
  );
  expect(allowed).toHaveLength(100);
});
