/** What the smallest pieces of work take: a node, an event, a time of a schedule. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Counts } from './counts.ts';
import { callsIn, flushesIn, openRecording } from './recording.ts';
import type { StepCounts } from './step-child.ts';

/** Nothing is optimized and nothing is collected while it is counted. */
const STEADY = ['--no-opt', '--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

export function stepCounts(folder: string): Counts {
  const recording = openRecording(folder, 'step');
  const child = join(import.meta.dirname, 'step-child.ts');
  const { stdout, stderr, status } = spawnSync(process.execPath, [...STEADY, child], {
    encoding: 'utf8',
    env: { ...process.env, ...recording.env },
  });
  if (status !== 0) throw new Error(`steps could not be counted: ${stderr}`);
  const { times, counts } = JSON.parse(stdout) as { times: number; counts: Record<string, StepCounts> };
  const lines = recording.lines();
  return Object.fromEntries(
    Object.entries(counts).map(([name, own]) => {
      const from = lines.indexOf(`mark ${name}`);
      const calls = lines.slice(from, lines.indexOf('mark', from));
      const sums = { ...own, flushes: flushesIn(calls), file_calls: callsIn(calls) };
      return [name, Object.fromEntries(Object.entries(sums).map(([what, sum]) => [what, perTime(sum, times)]))];
    }),
  );
}

/** What is done once in a while, and not each time, is rounded away. */
const perTime = (sum: number, times: number): number => Math.round(sum / times);
