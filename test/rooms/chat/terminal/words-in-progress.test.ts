import { expect, it } from 'vitest';
import { openLiveWords } from '../../../../src/rooms/chat/terminal/words-in-progress.ts';

const terminal = { width: 20, dim: (text: string) => text };
const about = { agent: 'arya', run: 'r', step: null };

it('shows the last rows of each reply that is being written, cleaned, until its message is there', () => {
  const live = openLiveWords();
  expect(live.lines(terminal)).toEqual([]);
  live.take({ ...about, text: 'We stay in \u001B[2JGraz' });
  live.take({ ...about, text: ', near the station,\nin a small hotel' });
  live.take({ agent: 'bran', run: 'q', step: null, text: 'Yes' });
  expect(live.lines(terminal)).toEqual([
    'arya is writing:',
    expect.stringContaining('Graz'),
    expect.any(String),
    '  in a small hotel',
    'bran is writing:',
    '  Yes',
  ]);
  expect(live.lines(terminal).join('')).not.toContain('\u001B');
  live.take({ ...about, end: true });
  live.take({ ...about, text: 'Then by train.' });
  expect(live.lines(terminal).slice(0, 2)).toEqual(['arya is writing:', '  Then by train.']);
  live.settle('r');
  expect(live.lines(terminal)).toEqual(['bran is writing:', '  Yes']);
  live.clear();
  expect(live.lines(terminal)).toEqual([]);
});
