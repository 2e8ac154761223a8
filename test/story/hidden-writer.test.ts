/** A file that somebody writes whom the worker cannot see, as from outside of its container. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { openStory } from '../support/story.ts';

/** A list of processes of its own, in which nobody else is. */
const ALONE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;
const canHide = spawnSync(ALONE[0], [...ALONE.slice(1), 'true']).status === 0;

it.skipIf(!canHide)('is not taken while it is open, alone or in a folder, however long its writer pauses', async () => {
  await using story = await openStory();
  const at = (name: string): string => join(story.home.workspace, 'inbox', name);
  const task = (id: string): string => `---\nid: ${id}\n---\n\`\`\`bash\necho ${id} > ${id}.txt\n\`\`\`\n`;
  mkdirSync(at('job'));
  story.drop('job/TASK.md', task('job'));
  const writers = [openSync(at('half.md'), 'w'), openSync(at('job/data'), 'w')];
  writeSync(writers[0] ?? 0, task('half'));
  const words = [...ALONE.slice(1), process.execPath, launcher, 'worker', '--dir', story.home.dir];
  const worker: ChildProcess = spawn(ALONE[0], words, { env: { ...process.env, OKA_CONTAINER: '1' }, stdio: 'ignore' });
  try {
    for (const id of ['one', 'two', 'three']) {
      story.drop(`${id}.md`, task(id));
      expect((await story.ended(id)).status).toBe('done');
    }
    expect(await story.eventsOf('task.received', 'half')).toEqual([]);
    expect([existsSync(at('half.md')), existsSync(at('job/TASK.md'))]).toEqual([true, true]);
    for (const writer of writers) closeSync(writer);
    expect((await story.ended('half')).status).toBe('done');
    expect((await story.ended('job')).status).toBe('done');
  } finally {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
});
