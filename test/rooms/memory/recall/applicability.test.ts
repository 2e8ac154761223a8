import { describe, expect, it } from 'vitest';
import { type Applicability, createApplicabilityTest } from '../../../../src/rooms/memory/recall/applicability.ts';

const how = (task: string, text: string, isInstruction = true, similarity: number | null = null): Applicability =>
  createApplicabilityTest(task)({ text, isInstruction, similarity });

describe('what the operator stated', () => {
  it.each([
    'Always answer in German.',
    'Antworte immer auf Deutsch.',
    'Prefer bullet points over long paragraphs in reports.',
    'Use Celsius for temperatures.',
    'Write dates as 2026-01-31.',
    'Never delete files.',
  ])('2 applies to every task when it is about how to write or work: %s', (text) => {
    expect(how('Find a train to Basel for Friday.', text)).toBe('in general');
  });

  it.each([
    ['Sort the invoices of March.', 'Always put paid invoices into the folder archive/invoices.'],
    ['Tidy up my reading list.', 'Always sort the reading list by page count.'],
    ['File the bills.', 'Never round the amounts of an invoice.'],
  ])('3 applies by its subject: %s %s', (task, text) => {
    expect(how(task, text)).toBe('by subject');
  });

  it('3 does not apply without any sign, and a fact needs a word in common', () => {
    expect(how('Find a train to Basel for Friday.', 'Always water the ferns twice.')).toBe('no');
    expect(how('Find a train to Basel for Friday.', 'Always water the ferns twice.', true, 0.5)).toBe('by subject');
    expect(how('Write a letter.', 'The shortest way to say it in German is short.', false)).toBe('no');
  });

  it.each([
    [
      'Always use MySQL in the heron project.',
      'Set up a database for the heron project.',
      'a database for the lynx project',
    ],
    [
      'Use Helvetica for slides of the Meridian account.',
      'Make slides for Meridian.',
      'Make slides for the Solstice account.',
    ],
    ['Ben prefers his slides dark.', 'Make slides for Ben.', 'Make slides for the team.'],
    ['My sister wants her cards in rhymes.', 'Write a card to my sister.', 'Write a card to the neighbours.'],
    ['Use large print for Oma.', 'Print the letter for Oma.', 'Print the letter in large print.'],
  ])('1 what is for a project or a person applies where they are named: %s', (text, task, other) => {
    expect(how(task, text)).toBe('by subject');
    expect(how(other, text, true, 0.9)).toBe('no');
  });
});
