import { join } from 'node:path';
import { expect, it } from 'vitest';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { openStory } from '../support/story.ts';

it('a task that is resumed while its last step before the pause is still ending goes on', async () => {
  await using story = await openStory();
  const intakes = join(story.home.oka, 'intake');
  story.work();
  story.drop(
    'p.md',
    '---\nid: p\n---\n```sh\nuntil [ -e go ]; do sleep 0.05; done\n```\n\n```sh\necho two > two.txt\n```\n',
  );
  await story.until('its first step', async () =>
    (await story.eventsOf('call.started')).find(({ data }) => data.tool === 'shell'),
  );
  submit(intakes, { kind: 'pause', run: 'p' });
  await story.until('the pause', async () => (await story.eventsOf('run.paused', 'p'))[0]);
  expect((await story.eventsOf('run.paused')).length, 'the step is still running').toBe(1);
  submit(intakes, { kind: 'resume', run: 'p' });
  await story.until('the request', async () => (await story.eventsOf('intake.received'))[1]);
  story.write('workspace/desk/go', '');
  expect((await story.ended('p')).status).toBe('done');
  expect(story.deskText('two.txt')).toBe('two\n');
});
