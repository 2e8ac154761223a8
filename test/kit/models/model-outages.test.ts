import { expect, it } from 'vitest';
import { openOutages } from '../../../src/kit/models/model-outages.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';

const down: Outcome = {
  status: 'failed',
  error: 'custom:a at http://a/v1: it cannot be reached: x. Fix it.',
  temporary: true,
};

it('a failure that lasts says since when and how often it was tried, until the model has answered', () => {
  const outages = openOutages(() => new Date('2026-03-01T10:20:30Z'));
  const errorAfter = (role = 'planner', model?: string): string => {
    const outcome = outages.describe(down, role, model);
    return 'error' in outcome ? outcome.error : '';
  };
  expect(errorAfter()).toBe(down.error);
  expect(errorAfter()).toBe(
    'custom:a at http://a/v1 (no answer since 2026-03-01 10:20 UTC, tried 2 times): it cannot be reached: x. Fix it.',
  );
  expect(errorAfter()).toContain('tried 3 times');
  expect(errorAfter('critic')).toBe(down.error);
  expect(errorAfter('planner', 'custom:b')).toBe(down.error);
  outages.end('planner', undefined);
  expect(errorAfter()).toBe(down.error);
});

it('a failure that is none of the network is left as it is', () => {
  const outages = openOutages();
  const refused: Outcome = { status: 'failed', error: 'openai:x: no key', temporary: false };
  for (let round = 0; round < 3; round += 1) expect(outages.describe(refused, 'planner', undefined)).toBe(refused);
});
