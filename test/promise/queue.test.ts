import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { openStory, type Story } from '../support/story.ts';
import { timesOf } from '../support/thorough.ts';

/** SOAK=1 tries it with a long queue and many deaths. */
const SOAK = process.env['SOAK'] === '1';
const TASKS = SOAK ? 100 : timesOf(30, 15);
const DEATHS = SOAK ? 20 : timesOf(3, 2);

const idOf = (number: number): string => `task-${number}`;
const linesIn = (story: Story): string[] => (story.deskText('done.txt') ?? '').split('\n').filter(Boolean);

/** The person of this story looks whether it happened, and says what is true. */
async function answerDoubts(story: Story): Promise<void> {
  for (const { wait, run } of await story.waiting()) {
    const line = /^(task-\d+)/.exec(run)?.[1] ?? '';
    await story.oka('answer', wait, linesIn(story).includes(line) ? 'done' : 'repeat');
  }
}

describe('a full queue', { timeout: SOAK ? 900_000 : 240_000 }, () => {
  it('W1 loses nothing and does nothing twice, however often the worker is killed', async () => {
    await using story = await openStory();
    for (let number = 1; number <= TASKS; number += 1)
      story.drop(
        `${idOf(number)}.md`,
        `---\nid: ${idOf(number)}\n---\n\`\`\`bash\necho ${idOf(number)} >> done.txt\n\`\`\`\n`,
      );
    for (let death = 0; death < DEATHS; death += 1) {
      const before = (await story.eventsOf('worker.started')).length;
      const worker = story.start(['worker']);
      await story.until('a worker', async () =>
        (await story.eventsOf('worker.started')).length > before ? true : undefined,
      );
      await sleep(100 + Math.random() * (SOAK ? 2000 : 400));
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    story.work();
    const ended = await story.until('the end of them all', async () => {
      await answerDoubts(story);
      const tops = (await story.eventsOf('run.ended')).filter(({ run }) => /^task-\d+$/.test(run ?? ''));
      return tops.length >= TASKS ? tops : undefined;
    });
    const all = Array.from({ length: TASKS }, (_, index) => idOf(index + 1));
    for (const id of all) await story.ended(id);
    await story.rest();
    expect(ended.map(({ run, data }) => `${run} ${data.status}`).toSorted()).toEqual(
      all.map((id) => `${id} done`).toSorted(),
    );
    expect(linesIn(story).toSorted()).toEqual(all.toSorted());
    expect((await story.eventsOf('task.received')).map(({ run }) => run ?? '').toSorted()).toEqual(all.toSorted());
    expect(all.filter((id) => !(story.page(id) ?? '').includes('✅ Done'))).toEqual([]);
    expect(await verifyLedger(story.home.ledgers.run)).toMatchObject({ state: 'intact' });
  });
});
