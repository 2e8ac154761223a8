import { describe, expect, it } from 'vitest';
import { unfinishedReason } from '../../../../src/rooms/task/roles/unfinished-answer.ts';

describe('an answer that only reports progress', () => {
  it.each([
    'Halfway, continuing.',
    'I am still working on it',
    'Three of five mails are sorted. The work is in progress.',
    'The first two files are done. More to follow.',
    'It is not finished yet.',
    "I have read the notes. I'll now write the summary.",
    'Two rows are corrected. Let me check the others.',
    'a.txt is written. The remaining files will follow.',
  ])('is found: %j', (answer) => {
    expect(unfinishedReason(answer)).toMatch(/^unfinished: the answer only reports progress: /);
  });
});

describe('an answer that breaks off', () => {
  it.each([
    'The notes are shorter now, and the rest of',
    'The total is made up of these amounts:\n- rent (',
    'The three largest cities are Tokyo, Delhi…',
    'There are four open invoices: A-1, A-2,',
  ])('is found: %j', (answer) => {
    expect(unfinishedReason(answer)).toMatch(/^unfinished: the answer breaks off: /);
  });
});

describe('a finished answer', () => {
  it.each([
    'notes.txt is shorter now.',
    'Friday',
    'The reply says: "I will write the report on Monday."',
    'reply.txt is written:\n> I am still working on the offer.\n\nIt is two lines long.',
    'I will write more was the third line of the poem. The poem has four lines.',
    'The project plan marks step 3 as done; steps 4 and 5 are open.',
    'Done.',
  ])('is accepted: %j', (answer) => {
    expect(unfinishedReason(answer)).toBeNull();
  });
});
