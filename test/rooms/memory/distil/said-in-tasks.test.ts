import { expect, it } from 'vitest';
import { learnedFromTasks } from '../../../../bench/memory/learning.ts';

/** How many of each list are right at least; the lists were written before the rules (said-in-tasks.ts, traps.ts). */
const LEAST = {
  instructions: 35,
  preferences: 38,
  fresh: 18,
  taken_back: 17,
  contradicted: 12,
  traps: 60,
  small_talk: 38,
} as const;

it('what people write into tasks is learned, and what only looks like an instruction is not', () => {
  const short = learnedFromTasks().filter(({ name, right }) => right < LEAST[name as keyof typeof LEAST]);
  expect(short.map(({ name, missed }) => ({ name, missed }))).toEqual([]);
});
