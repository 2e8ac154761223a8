import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const STEP =
  'touch begun; until [ -e go ]; do sleep 0.1; done; curl -sf http://api.example.org/ -o page.txt; touch ended';

it('a command that loses its network with a worker that is killed is in doubt, and has not failed', async () => {
  await using story = await openStory();
  story.drop('fetch.md', `---\nid: fetch\n---\n\`\`\`bash net:api.example.org\n${STEP} && false\n\`\`\`\n`);
  const worker = story.start(['worker']);
  await story.until('its step', async () => (existsSync(story.desk('begun')) ? true : undefined));
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  story.write('workspace/desk/go', '');
  await story.until('the end of the command', async () => (existsSync(story.desk('ended')) ? true : undefined));
  story.work();
  const { for: asked } = await story.asked('question');
  expect(asked).toMatchObject({ text: expect.stringContaining('how it ended is unknown') as string });
  expect(await story.eventsOf('run.ended')).toEqual([]);
});
