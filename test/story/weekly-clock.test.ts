import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const preload = pathToFileURL(join(import.meta.dirname, '../support/set-clock.ts')).href;

const WEEKLY = `---
every: sunday 02:30
timezone: Europe/Berlin
---
# Weekly

\`\`\`bash
echo ran >> weekly.txt
\`\`\`
`;

describe('a weekly task', { timeout: 240_000 }, () => {
  it('runs once a week over a change of the clocks, a kill, a sleep of three days and a clock that is set back', async () => {
    await using story = await openStory();
    const set = (moment: string): void => story.write('clock', String(Date.parse(moment) - Date.now()));
    const start = () =>
      story.start(['worker'], { OKA_TEST_CLOCK: join(story.home.dir, 'clock'), NODE_OPTIONS: `--import ${preload}` });
    const slots = async (): Promise<string[]> =>
      (await story.eventsOf('slot.came')).map(({ data }) => `${data.slot.slice(0, 16)} ${data.how}`);
    const slotCount = (count: number): Promise<true> =>
      story.until(`slot ${count}`, async () => ((await slots()).length >= count ? true : undefined));
    const runsEnd = (count: number): Promise<true> =>
      story.until(`run ${count}`, async () => {
        const ended = (await story.eventsOf('run.ended')).filter(({ run }) => /^weekly-\w+$/.test(run ?? ''));
        return ended.length >= count ? true : undefined;
      });

    set('2027-03-19T12:00:00Z');
    let worker = start();
    story.drop('weekly.md', WEEKLY);
    await story.until('the schedule', async () => (await story.eventsOf('schedule.changed'))[0]);
    set('2027-03-21T01:30:05Z'); // 02:30, as every week
    await runsEnd(1);

    story.write('.oka/PAUSED', '');
    set('2027-03-28T00:59:00Z'); // 01:59, and 02:30 does not exist on this day
    await sleep(1500);
    expect(await slots()).toHaveLength(1);
    set('2027-03-28T01:00:05Z'); // 03:00, the first moment after the gap
    await slotCount(2);
    worker.kill('SIGKILL'); // the time is recorded, and its run has not started
    await once(worker, 'exit');
    rmSync(join(story.home.oka, 'PAUSED'));
    worker = start();
    await runsEnd(2);

    set('2027-04-07T06:00:00Z'); // the machine slept from before Sunday until Wednesday
    await runsEnd(3);
    set('2027-04-03T23:00:00Z'); // somebody sets the clock back, before a time that is settled
    await sleep(1500);
    set('2027-04-04T00:30:05Z');
    await sleep(1500);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    set('2027-04-11T00:30:05Z');
    start();
    await runsEnd(4);

    expect(await slots()).toEqual([
      '2027-03-21T01:30 ran',
      '2027-03-28T01:00 ran',
      '2027-04-04T00:30 caught_up',
      '2027-04-11T00:30 ran',
    ]);
    expect(story.deskText('weekly.txt')).toBe('ran\n'.repeat(4));
  });
});
