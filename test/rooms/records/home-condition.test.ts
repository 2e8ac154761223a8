import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { screenText } from '../../support/screen.ts';
import { openStory } from '../../support/story.ts';

it('status and doctor say that everything is stopped or paused, and name the model and what was rejected', async () => {
  await using story = await openStory({ config: { models: { use: 'ollama:llama3.2' } } });
  const before = (await story.oka('status')).out;
  expect(before).not.toMatch(/stopped|paused/);
  expect(before).toMatch(/ {2}model {3}ollama:llama3\.2\n {2}disk {4}[\d.]+ [KMGT]B free\n/);
  story.write('.oka/STOP', '');
  story.write('.oka/PAUSED', '');
  const rejected = join(story.home.workspace, 'inbox', 'rejected');
  mkdirSync(rejected, { recursive: true });
  writeFileSync(join(rejected, 'notes.md'), 'x');
  writeFileSync(join(rejected, 'notes.md.reason.md'), '# notes.md\n\nIt is not a task.\n');
  const status = screenText((await story.oka('status')).out, story.home.dir);
  expect(status).toContain('  stopped nothing runs until you remove ~/oka/.oka/STOP\n');
  expect(status).toContain('  paused  no new task begins until: oka unpause\n');
  const doctor = screenText((await story.oka('doctor')).out, story.home.dir);
  expect(doctor).toContain('~/oka/.oka/STOP is there: nothing runs');
  expect(doctor).toContain('no new task begins');
  expect(doctor).toContain('not accepted, in ~/oka/workspace/inbox/rejected: notes.md');
});
