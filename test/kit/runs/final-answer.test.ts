import { describe, expect, it } from 'vitest';
import { answerThatStands } from '../../../src/kit/runs/final-answer.ts';
import type { Event } from '../../../src/core/schema/event.ts';

const answering = (output: string): Event[] =>
  [
    { type: 'decision.made', data: { node: 'work', decision: { kind: 'Finish', output, rationale: '' } } },
  ] as unknown as Event[];

describe('the answer of a task that was planned again', () => {
  it('is the last one', () => {
    expect(answerThatStands([answering('one'), answering('two')], ['rows: out.csv == 3: it has 2'])).toBe('two');
  });

  it('is an earlier one where the last plan gave none and nobody objected to it', () => {
    expect(answerThatStands([answering('one'), []], ['rows: out.csv == 3: it has 2'])).toBe('one');
  });

  it.each([
    'The answer is right: it says 7',
    'unbacked: it says that it sent a mail',
    'figure 7 is not what was computed',
  ])('is none where the earlier one was objected to: %s', (reason) => {
    expect(answerThatStands([answering('one'), []], [reason])).toBeNull();
  });

  it('is none where nobody answered', () => {
    expect(answerThatStands([[], []], [''])).toBeNull();
  });
});
