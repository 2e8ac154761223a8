import { expect, it } from 'vitest';
import { withoutInstructions } from '../../../../src/rooms/memory/recall/stated-sentences.ts';

const at = '2026-01-10T10:00:00Z';
const every = (): boolean => true;

it('takes instructions out of a text, and leaves the rest of it', () => {
  const text = 'The tap drips. Always call Dr. Weber first. It is in the kitchen.';
  expect(withoutInstructions({ text, at }, every)).toBe('The tap drips. It is in the kitchen.');
  expect(withoutInstructions({ text, at }, (statement) => statement.includes('Weber'))).not.toContain('Weber');
  expect(withoutInstructions({ text, at }, () => false)).toBe(text);
});

it('leaves nothing of a text that was only an instruction, also as an answer', () => {
  expect(withoutInstructions({ text: 'From now on write reports in German.', at }, every)).toBeNull();
  expect(
    withoutInstructions({ text: 'How should the songs be printed?\nanswered: Never print double-sided.', at }, every),
  ).toBe('How should the songs be printed?');
});
