import { expect, it } from 'vitest';
import { renderColumns } from '../../../src/kit/cli/columns.ts';
import { terminalOf } from '../../../src/kit/cli/io.ts';

const rows = [{ name: 'a', text: 'x'.repeat(200) }];
const columns = [
  { text: ({ name }: (typeof rows)[number]) => name, width: 3 },
  { text: ({ text }: (typeof rows)[number]) => text, grows: true },
];
const terminal = (width: number, utc = false) => terminalOf({ isTerminal: false, hasColours: false, width, utc });

it('a list fits the terminal, and is not cut where there is none', () => {
  expect(renderColumns(rows, columns, terminal(60))).toBe(`a    ${'x'.repeat(54)}…\n`);
  expect(renderColumns(rows, columns, terminal(Number.POSITIVE_INFINITY))).toBe(`a    ${'x'.repeat(200)}\n`);
});

it('times are in the zone of the machine, and in UTC when asked for', () => {
  const at = '2026-01-31T23:15:30.123Z';
  const { toMinute, toTimeOfDay } = terminal(80);
  expect(new Date(`${toMinute(at)}:30`).getTime()).toBe(Date.parse('2026-01-31T23:15:30Z'));
  expect(toTimeOfDay(at).slice(0, 5)).toBe(toMinute(at).slice(11));
  expect([terminal(80, true).toMinute(at), terminal(80, true).toTimeOfDay(at)]).toEqual([
    '2026-01-31 23:15 UTC',
    '23:15:30',
  ]);
});
