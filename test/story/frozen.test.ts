import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Ran } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { isThorough } from '../support/thorough.ts';

const preload = pathToFileURL(join(import.meta.dirname, '../support/block-loop.ts')).href;
const blockable = { NODE_OPTIONS: `--import ${preload}` };

const isHealthy = (story: Story, words: readonly string[]): Promise<true> =>
  story.until(words.join(' '), async () => ((await story.oka(...words)).code === 0 ? true : undefined));

/** Waits until a process has been silent for too long. */
const isUnhealthy = (story: Story, words: readonly string[]): Promise<Ran> =>
  story.until('silence', async () => {
    const health = await story.oka(...words);
    return health.code === 0 ? undefined : health;
  });

it.runIf(isThorough)('a worker that is stopped is not healthy, and is healthy again when it goes on', async () => {
  await using story = await openStory();
  const worker = story.start(['worker']);
  await isHealthy(story, ['status', '--health']);
  worker.kill('SIGSTOP');
  const { code, out } = await isUnhealthy(story, ['status', '--health']);
  expect([code, out]).toEqual([1, expect.stringMatching(/^process \d+ has not responded for \d+ s\n$/)]);
  expect(JSON.parse((await story.oka('status', '--health', '--json')).out)).toMatchObject({ healthy: false });
  expect((await story.oka('status')).out).toContain('has not responded');
  expect((await story.oka('doctor')).out).toMatch(/worker .*has not responded/);
  worker.kill('SIGCONT');
  await isHealthy(story, ['status', '--health']);
});

it('a worker whose event loop is blocked is not healthy, and neither is such a maintenance', async () => {
  await using story = await openStory();
  const health = { worker: ['status', '--health'], maintenance: ['maintain', '--health'] };
  const worker = story.start(['worker'], blockable);
  const maintenance = story.start(['maintain'], blockable);
  for (const words of Object.values(health)) await isHealthy(story, words);
  for (const child of [worker, maintenance]) child.kill('SIGUSR2');
  for (const words of Object.values(health)) {
    const { code, out } = await isUnhealthy(story, words);
    expect([code, out]).toEqual([1, expect.stringContaining('has not responded')]);
  }
  for (const child of [worker, maintenance]) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
});
