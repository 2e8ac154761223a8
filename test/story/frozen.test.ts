import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const preload = pathToFileURL(join(import.meta.dirname, '../support/block-loop.ts')).href;
const blockable = { NODE_OPTIONS: `--import ${preload}` };
/** Longer than a process may be silent. */
const FROZEN_MS = 13_000;

it('a worker that is stopped is not healthy, and is healthy again when it goes on', async () => {
  await using story = await openStory();
  const worker = story.start(['worker']);
  await story.until('health', async () => ((await story.oka('status', '--health')).code === 0 ? true : undefined));
  worker.kill('SIGSTOP');
  await sleep(FROZEN_MS);
  const frozen = await story.oka('status', '--health');
  expect([frozen.code, frozen.out]).toEqual([1, expect.stringMatching(/^process \d+ has not responded for \d+ s\n$/)]);
  expect(JSON.parse((await story.oka('status', '--health', '--json')).out)).toMatchObject({ healthy: false });
  expect((await story.oka('status')).out).toContain('has not responded');
  expect((await story.oka('doctor')).out).toMatch(/worker .*has not responded/);
  worker.kill('SIGCONT');
  await story.until('health', async () => ((await story.oka('status', '--health')).code === 0 ? true : undefined));
}, 90_000);

it('a worker whose event loop is blocked is not healthy, and neither is such a maintenance', async () => {
  await using story = await openStory();
  const health = { worker: ['status', '--health'], maintenance: ['maintain', '--health'] };
  const worker = story.start(['worker'], blockable);
  const maintenance = story.start(['maintain'], blockable);
  for (const words of Object.values(health))
    await story.until(words.join(' '), async () => ((await story.oka(...words)).code === 0 ? true : undefined));
  for (const child of [worker, maintenance]) child.kill('SIGUSR2');
  await sleep(FROZEN_MS);
  for (const words of Object.values(health)) {
    const { code, out } = await story.oka(...words);
    expect([code, out]).toEqual([1, expect.stringContaining('has not responded')]);
  }
  for (const child of [worker, maintenance]) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}, 90_000);
