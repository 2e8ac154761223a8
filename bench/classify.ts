/** What it costs to judge a command, over all labelled commands of the tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classify } from '../src/core/guard/classify/classify-command.ts';
import { programFinder } from '../src/core/guard/classify/find-program.ts';
import { type Figure, median } from './figure.ts';

const ROUNDS = 5;
const FOLDER = join(import.meta.dirname, '../test/fixture/commands');

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const toolFolder = '/oka/.oka/tools';
  const where = { desk: '/oka/workspace/desk', toolFolder, resolve: programFinder(toolFolder) };
  const commands = commandsIn(FOLDER);
  note(`${commands.length} commands, ${ROUNDS} times`);
  const rounds = Array.from({ length: ROUNDS }, () =>
    commands.map((line) => microseconds(() => classify({ line }, where))),
  );
  const warm = commands.map((_, at) => median(rounds.map((round) => round[at] ?? 0))).toSorted((a, b) => a - b);
  return [
    {
      name: 'classify_p99',
      value: warm[Math.floor(warm.length * 0.99)] ?? Number.NaN,
      unit: 'µs',
      bar: { most: 5000 },
      about: 'the slowest of a hundred commands',
    },
    {
      name: 'classify_median',
      value: median(warm),
      unit: 'µs',
      about: 'a command, with its programs looked up on disk',
    },
  ];
}

function microseconds(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1000;
}

function commandsIn(folder: string): string[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { cmd: string }).cmd),
  );
}
