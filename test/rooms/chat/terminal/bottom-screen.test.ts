import { expect, it } from 'vitest';
import { openBottomScreen } from '../../../../src/rooms/chat/terminal/bottom-screen.ts';
import { screenOf } from '../../../support/drawn-screen.ts';

it('text scrolls by above the rows at the bottom, which stay, however often they are drawn', () => {
  let written = '';
  const screen = openBottomScreen((text) => void (written += text));
  screen.draw({ rows: ['thinking', '> ab'], cursor: { row: 1, column: 3 } });
  screen.print('hello\nworld\n');
  screen.draw({ rows: ['> abc'], cursor: { row: 0, column: 5 } });
  screen.print('again\n');
  expect(screenOf(written, 20)).toEqual({ lines: ['hello', 'world', 'again', '> abc'], cursor: { row: 3, column: 5 } });
  screen.close();
  expect(screenOf(written, 20).lines).toEqual(['hello', 'world', 'again']);
});
