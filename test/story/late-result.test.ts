import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const runbook = (id: string, code = 'true'): string => `---\nid: ${id}\n---\n\`\`\`bash\n${code}\n\`\`\`\n`;

it('W2 a result that could not be written comes at a later start, however many tasks have ended since', async () => {
  await using story = await openStory();
  story.drop('lost.md', runbook('lost', 'touch begun; until [ -e go ]; do sleep 0.05; done'));
  story.work();
  await story.until('the step', async () => story.deskText('begun') ?? undefined);
  story.write('workspace/outbox/lost', 'in the way\n');
  story.write('workspace/desk/go', '');
  await story.until('the end', async () => (await story.eventsOf('run.ended', 'lost'))[0]);
  const others = Array.from({ length: 12 }, (_, index) => `other-${index}`);
  for (const id of others) story.drop(`${id}.md`, runbook(id));
  for (const id of others) await story.ended(id);
  await story.rest();
  story.work();
  await story.until('the trouble', async () => story.told.filter((line) => /^lost: .*cannot be written/.test(line))[1]);
  await story.rest();
  rmSync(join(story.home.workspace, 'outbox/lost'));
  rmSync(join(story.home.workspace, 'outbox/other-0'), { recursive: true });
  story.work();
  const page = await story.until('the result', async () => story.page('lost') ?? undefined);
  expect(page).toContain('✅ Done');
  await story.rest();
  rmSync(join(story.home.workspace, 'outbox/lost'), { recursive: true });
  story.work();
  story.drop('last.md', runbook('last'));
  await story.ended('last');
  expect([story.page('lost'), story.page('other-0')]).toEqual([null, null]);
});

it('a task that is cancelled while it waits is told as cancelled', async () => {
  await using story = await openStory();
  story.drop('prose.md', '---\nid: prose\n---\nPlease write a poem.\n');
  story.work();
  await story.until('a result', async () => story.page('prose') ?? undefined);
  await story.rest();
  const cancelled = await story.oka('cancel', 'prose');
  expect([cancelled.code, cancelled.out]).toEqual([0, expect.not.stringContaining('waits for') as string]);
  expect((await story.ended('prose')).page).toMatch(/Cancelled/i);
});
