import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { timesOf } from '../support/thorough.ts';

const PARALLEL = 2;
const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `task-${letter}`);

it('a worker that is killed again and again works on no more tasks at once', async () => {
  await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: PARALLEL } } });
  for (const id of ids)
    story.drop(`${id}.md`, `---\nid: ${id}\n---\n\`\`\`bash\nuntil [ -e go ]; do sleep 0.05; done\n\`\`\`\n`);
  for (let death = 0; death < timesOf(3, 2); death += 1) {
    const worker = story.start(['worker']);
    await story.until('as much work as there may be', async () => {
      const begun = (await story.eventsOf(death === 0 ? 'run.started' : 'run.resumed')).map(({ run }) => run);
      const tasks = ids.filter((id) => begun.filter((run) => run === id).length >= Math.max(1, death));
      return tasks.length >= PARALLEL ? true : undefined;
    });
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  story.write('workspace/desk/go', '');
  story.work();
  for (const id of ids) await story.ended(id);
  const open = new Set<string>();
  for (const event of await story.events()) {
    if (event.run === null || !ids.includes(event.run)) continue;
    if (event.type === 'run.started') open.add(event.run);
    if (event.type === 'run.ended') open.delete(event.run);
    expect(open.size).toBeLessThanOrEqual(PARALLEL);
  }
});

it('a task that an answer has continued counts: no new one begins beside it', async () => {
  await using story = await openStory({
    config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 1 } },
    policy: (text) => text.replace('write_local: allow', 'write_local: ask'),
  });
  story.drop('asks.md', '---\nid: asks\n---\n```bash\ntouch begun; until [ -e go ]; do sleep 0.05; done\n```\n');
  story.work();
  const { wait } = await story.asked('approval');
  await story.oka('approve', wait);
  await story.until('the step', async () => (story.deskText('begun') === null ? undefined : true));
  story.drop('late.md', '---\nid: late\n---\n```bash\ntrue\n```\n');
  await sleep(3000); // several scans of the inbox
  const early = await story.eventsOf('run.started', 'late');
  story.write('workspace/desk/go', '');
  await story.until('the late task', async () => (await story.eventsOf('run.started', 'late'))[0]);
  expect(early).toEqual([]);
});
