import { expect, it } from 'vitest';
import { work } from '../../src/app/worker/worker.ts';
import { openStory } from '../support/story.ts';

it('a worker that is stopped while it accepts a task stops that task, too, and ends', async () => {
  await using story = await openStory({ model: () => ({ do: 'stall', first: '' }) });
  story.drop('long.md', '---\nid: long\n---\nThink for a long time.\n');
  const stop = new AbortController();
  await work(story.home, stop.signal, (line) => (line.startsWith('accepted: ') ? stop.abort() : undefined));
  expect(await story.eventsOf('run.ended')).toEqual([]);
  expect(await story.eventsOf('task.received')).toHaveLength(1);
  story.work();
  await story.until('its model', async () => (story.model.requests.length > 0 ? true : undefined));
});
