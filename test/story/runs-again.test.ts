/** `oka runs again` acts once on each run, also when the command is killed in the middle and repeated. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../src/kit/inbox/inbox-folders.ts';
import type { BulkPreview } from '../../src/core/schema/bulk.ts';
import { openStory, type Story } from '../support/story.ts';

const TASKS = 12;
const FAILING = '```bash\ntest -e there || exit 3\n```\n';

describe('oka runs again', () => {
  it('does each run again once, though it is killed in the middle and repeated', async () => {
    await using story = await openStory();
    story.work();
    for (let at = 0; at < TASKS; at += 1) story.drop(`t${at}.md`, `---\nid: t${at}\n---\n# Task ${at}\n\n${FAILING}`);
    await endsOf(story, TASKS);
    const first = await previewed(story, '--status', 'failed');
    expect(first).toMatchObject({ count: TASKS, left_out: [] });

    const child = story.start(['runs', 'again', '--status', 'failed', '--yes']);
    const gone = once(child, 'exit');
    while ((await askedFor(story)) === 0) await sleep(2);
    child.kill('SIGKILL');
    await gone;
    const asked = await askedFor(story);

    const second = await previewed(story, ...named(TASKS));
    expect(second.count + second.left_out.length).toBe(TASKS);
    expect(second.left_out.length).toBeGreaterThanOrEqual(asked);
    expect(second.left_out[0]?.why).toMatch(/^it was asked for already, as t\d+-again-[0-9a-f]{8}$/);
    if (second.count > 0) await story.oka('runs', 'again', ...named(TASKS), '--yes');
    await endsOf(story, 2 * TASKS);
    const received = (await story.eventsOf('task.received')).map(({ run }) => run ?? '');
    for (let at = 0; at < TASKS; at += 1)
      expect(received.filter((run) => run.startsWith(`t${at}-again-`))).toHaveLength(1);
    expect(await story.eventsOf('task.rejected')).toEqual([]);

    const third = await story.oka('runs', 'again', ...named(TASKS), '--yes');
    expect(third).toMatchObject({ code: 1 });
    expect(third.out).toContain('it was asked for already');
    const repeat = received.find((run) => run.startsWith('t0-again-')) ?? '';
    await story.oka('runs', 'again', repeat);
    await endsOf(story, 2 * TASKS + 1);
    const names = (await story.eventsOf('task.received')).map(({ run }) => run ?? '');
    expect(names.filter((run) => /^t0-again-[0-9a-f]{8}$/.test(run))).toHaveLength(2);
  });
});

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}`);

async function previewed(story: Story, ...words: string[]): Promise<BulkPreview> {
  return JSON.parse((await story.oka('runs', 'again', ...words, '--json')).out) as BulkPreview;
}

const endsOf = (story: Story, count: number): Promise<unknown> =>
  story.until(`${count} ends`, async () => {
    const ended = (await story.eventsOf('run.ended')).filter(({ run }) => run?.includes('.') === false);
    return ended.length >= count || undefined;
  });

async function askedFor(story: Story): Promise<number> {
  const waiting = readdirSync(newFolder(join(story.home.workspace, 'inbox'))).filter((name) => !name.startsWith('.'));
  const received = (await story.eventsOf('task.received')).filter(({ run }) => run?.includes('-again-') === true);
  return new Set([...waiting, ...received.map(({ run }) => run)]).size;
}
