import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';

async function dropBundle(story: Story): Promise<void> {
  const folder = join(story.home.workspace, 'inbox/.bundle');
  mkdirSync(folder);
  writeFileSync(join(folder, 'TASK.md'), '---\nid: bundle\n---\n```bash\ncat data.csv\n```\n');
  writeFileSync(join(folder, 'data.csv'), 'a,b\n');
  renameSync(folder, join(story.home.workspace, 'inbox/bundle'));
  await story.until('its files', async () => story.deskText('bundle/data.csv') ?? undefined);
}

it('files of a task that arrives while a step of another runs are not put down to that step', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 4 } } });
  story.work();
  story.drop('long.md', '---\nid: long\n---\n```bash\necho > begun\nuntil [ -e go ]; do sleep 0.05; done\n```\n');
  await story.until('the step', async () => story.deskText('begun') ?? undefined);
  await dropBundle(story);
  story.write('workspace/desk/go', '');
  const { page } = await story.ended('long');
  expect(page).toContain('new [`begun`](files/begun)');
  expect(page).not.toContain('bundle/');
  expect((await story.ended('bundle')).page).toContain('✅ Done');
  await story.oka('undo', 'long');
  await story.until('the undo', async () => (await story.eventsOf('run.undone'))[0]);
  expect(story.deskText('bundle/data.csv')).toBe('a,b\n');
});

it('neither are they when the worker was killed during that step, and the next one settles it', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 4 } } });
  const worker = story.start(['worker']);
  story.drop('long.md', '---\nid: long\n---\n```bash\necho > begun\nuntil [ -e go ]; do sleep 0.05; done\n```\n');
  await story.until('the step', async () => story.deskText('begun') ?? undefined);
  await dropBundle(story);
  await story.until('its run', async () => (await story.eventsOf('run.started', 'bundle'))[0]);
  worker.kill('SIGKILL'); // its launcher, and the command in it, live on
  await once(worker, 'exit');
  story.work();
  story.write('workspace/desk/go', '');
  const { page } = await story.ended('long');
  expect(page).toContain('new [`begun`](files/begun)');
  expect(page).not.toContain('bundle/');
  expect((await story.ended('bundle')).page).toContain('✅ Done');
  await story.oka('undo', 'long');
  await story.until('the undo', async () => (await story.eventsOf('run.undone'))[0]);
  expect(story.deskText('bundle/data.csv')).toBe('a,b\n');
});
