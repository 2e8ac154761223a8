/** docs/JOINTS.md has a row for all rooms that meet by a port, and every row names a test that is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rooms } from '../src/app/rooms.ts';

const TOP = join(import.meta.dirname, '..');

const rows = readFileSync(join(TOP, 'docs/JOINTS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes(' × '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, pair = '', by = '', test = '']) => ({ pair, by, test }));

const shortName = (name: string): string => name.replace(/^rooms\//, '');

/** "giver × taker", with the ports between them. */
function pairsByPort(): Map<string, string[]> {
  const giverOf = new Map(rooms.flatMap(({ name, gives }) => Object.values(gives).map((port) => [port.name, name])));
  const pairs = new Map<string, string[]>();
  for (const { name, needs } of rooms)
    for (const [key, port] of Object.entries(needs)) {
      const giver = giverOf.get(port.name);
      if (giver === undefined || giver === name) continue;
      const pair = `${shortName(giver)} × ${shortName(name)}`;
      pairs.set(pair, [...(pairs.get(pair) ?? []), key]);
    }
  return pairs;
}

it('every pair of rooms that meet by a port has a row with these ports, and no row is about a pair that is gone', () => {
  const listed = rows.slice(
    0,
    rows.findIndex(({ pair }) => pair === 'runbook × model'),
  );
  expect(Object.fromEntries(listed.map(({ pair, by }) => [pair, by]))).toEqual(
    Object.fromEntries([...pairsByPort()].map(([pair, by]) => [pair, by.join(', ')])),
  );
});

it('every row names a test that is there', () => {
  const named = rows.map(({ test }) => test.replaceAll('`', ''));
  expect(named.filter((file) => !existsSync(join(TOP, file)))).toEqual([]);
  expect(named.length).toBeGreaterThanOrEqual(60);
});
