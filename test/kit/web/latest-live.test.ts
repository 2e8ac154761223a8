import { describe, expect, it } from 'vitest';
import type { LiveMessage } from '../../../src/core/schema/live.ts';
import { latestByStep } from '../../../src/kit/web/browser/latest-live.ts';

const text = (step: string, words: string): LiveMessage => ({ kind: 'text', run: 'r', step, text: words });

describe('what steps in progress have written lately', () => {
  it('is there for a page that begins to show the run only now', () => {
    const latest = latestByStep();
    latest.note(text('plan', 'first line\n'));
    latest.note({ kind: 'tokens', run: 'r', step: 'plan', count: 7 });
    latest.note(text('plan', 'second line\n'));
    expect(latest.values()).toEqual([
      { kind: 'tokens', run: 'r', step: 'plan', count: 7 },
      text('plan', 'first line\nsecond line\n'),
    ]);
  });

  it('is gone when the step has ended', () => {
    const latest = latestByStep();
    latest.note(text('plan', 'words'));
    latest.note({ kind: 'end', run: 'r', step: 'plan' });
    expect(latest.values()).toEqual([]);
  });

  it('takes bounded space, however much is written and however many ends are missed', () => {
    const latest = latestByStep();
    for (let step = 0; step < 500; step += 1)
      for (let part = 0; part < 20; part += 1) latest.note(text(`s${step}`, 'x'.repeat(1000)));
    expect(latest.values()).toHaveLength(100);
    for (const message of latest.values()) expect('text' in message && message.text.length).toBe(4000);
  });
});
