/** Tasks whose places overlap, with a worker that is killed again and again: what they leave is what some order leaves. */
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { scaled, scaledLimit } from '../support/thorough.ts';
import { judgeOverlapping, overlappingTasks, workKilled } from '../support/overlapping-tasks.ts';

const [TASKS, KILLS] = [scaled(100), scaled(20)];

it('tasks with overlapping places leave what they leave one at a time, whenever the worker is killed', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 3 } } });
  const tasks = overlappingTasks(TASKS, Math.random);
  await workKilled(story.home, tasks, { kills: KILLS, random: Math.random, patienceMs: scaledLimit(200_000) });
  expect(await judgeOverlapping(story.home, tasks)).toMatchObject({
    done: TASKS,
    differing: [],
    lost: [],
    doubled: [],
  });
});
