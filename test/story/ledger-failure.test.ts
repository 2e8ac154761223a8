import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

it('W6 a worker whose ledger was replaced ends, and the next one does the task', async () => {
  await using story = await openStory();
  const worker = story.start(['worker']);
  await story.until('a worker', async () => (await story.eventsOf('sandbox.chosen'))[0]);
  copyFileSync(story.home.ledgers.run, `${story.home.ledgers.run}.copy`);
  renameSync(`${story.home.ledgers.run}.copy`, story.home.ledgers.run);
  const exit = once(worker, 'exit');
  story.drop('late.md', '---\nid: late\n---\n```bash\necho done > late\n```\n');
  expect((await exit)[0]).toBe(1);
  expect(story.told.filter((line) => line.startsWith('oka: '))).toEqual([
    expect.stringContaining('while it was open') as string,
  ]);
  story.work();
  await story.ended('late');
  expect(story.deskText('late')).toBe('done\n');
});

it('L2 a worker whose lock was deleted ends by itself, before another one could work beside it', async () => {
  await using story = await openStory();
  const locks = join(story.home.oka, 'locks');
  const worker = story.start(['worker']);
  await story.until('a worker', async () => (await story.eventsOf('sandbox.chosen'))[0]);
  const exit = once(worker, 'exit');
  rmSync(locks, { recursive: true });
  story.work();
  expect((await exit)[0]).toBe(1);
  expect(story.told.filter((line) => line.startsWith('oka: '))).toEqual([
    expect.stringContaining('run_ledger.lock was removed or replaced') as string,
  ]);
  story.drop('late.md', '---\nid: late\n---\n```bash\necho done > late\n```\n');
  await story.ended('late');
  const holder = JSON.parse(readFileSync(join(locks, 'run_ledger.lock.holder.json'), 'utf8')) as { pid: number };
  expect(holder.pid).toBe(process.pid);
});
