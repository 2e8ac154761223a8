import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';
import { isThorough } from '../support/thorough.ts';

const yes = (is: boolean): true | undefined => (is ? true : undefined);

describe('oka run', () => {
  it.concurrent('exits 0 only when the task is done, 1 when it failed, 4 when it waits, 2 and 3 when it cannot begin', async () => {
    await using story = await openStory();
    const done = await story.oka('run', '```bash\necho hi > hi.txt\n```');
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/done[^]*RESULT\.md/) });
    expect(story.deskText('hi.txt')).toBe('hi\n');
    expect((await story.oka('run', '```bash\nexit 3\n```')).code).toBe(1);
    expect((await story.oka('run', 'think hard')).code).toBe(4);
    expect((await story.oka('run')).code).toBe(2);
    story.write('bad.md', '---\ncolour: red\n---\nx\n');
    expect(await story.oka('run', join(story.home.dir, 'bad.md'))).toMatchObject({
      code: 3,
      err: expect.stringContaining('"colour" is not known'),
    });
    const ran = await story.oka('run', '```bash\ntrue\n```', '--json');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('done') });
    expect(JSON.parse(ran.out)).toMatchObject({ status: 'done' });
    story.write('.oka/STOP', '');
    expect((await story.oka('run', '```bash\ntrue\n```')).code).toBe(3);
  });

  it.concurrent('works in a folder that is not set up yet, and beside a worker follows it to its end', async () => {
    await using story = await openStory();
    const fresh = await story.oka('run', '```bash\ntrue\n```', '--dir', join(story.home.dir, 'fresh'));
    expect(fresh.code).toBe(0);
    story.work();
    await story.until('the worker', async () => (await story.eventsOf('worker.started'))[0]);
    const given = await story.oka('run', '```bash\necho given > given.txt\n```');
    expect(given).toMatchObject({ code: 0, out: expect.stringMatching(/done[^]*RESULT\.md/) });
    expect(existsSync(given.out.trim().split(/\s+/).at(-1) ?? '')).toBe(true);
    expect(story.deskText('given.txt')).toBe('given\n');
    expect((await story.oka('run', '```bash\nexit 3\n```')).code).toBe(1);
    expect((await story.oka('run', 'think hard')).code).toBe(4);
    const same = await Promise.all([1, 2, 3].map(() => story.oka('run', '```bash\necho same >> same.txt\n```')));
    expect(same.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(story.deskText('same.txt')).toBe('same\nsame\nsame\n');
    expect(readdirSync(join(story.home.oka, 'state')).filter((name) => name.startsWith('run-'))).toEqual([]);
  });
});

describe('oka up', () => {
  it.concurrent('does the welcome task at the very first start, tells where its result is, and stops clean', async () => {
    await using story = await openStory({
      model: inParts({ planner: () => plan([{ id: 'never', tool: 'files.list', input: {} }], ['file: never.txt']) }),
    });
    const outbox = join(story.home.workspace, 'outbox');
    const first = story.start(['up']);
    await story.until('the result', async () => story.told.find((line) => line.includes('RESULT.md')));
    const [welcome = ''] = readdirSync(outbox);
    expect(story.page(welcome)).toContain('✅ Done.** 3 of 3 criteria met.');
    await sleep(1500);
    expect(story.model.requests).toEqual([]);
    const idle = (await story.events()).length;
    await sleep(500);
    expect((await story.events()).length).toBe(idle);
    first.kill('SIGINT');
    expect(await once(first, 'exit')).toEqual([0, null]);
    expect((await story.eventsOf('worker.stopped')).at(-1)?.data.reason).toBe('it was stopped');
    const second = story.start(['up', '--alone']);
    await story.until('the second worker', async () => yes((await story.eventsOf('worker.started')).length === 2));
    await sleep(1000);
    expect(await story.eventsOf('task.received')).toHaveLength(1);
    expect(await story.oka('up')).toMatchObject({ code: 3, err: expect.stringContaining('running already') });
    second.kill('SIGINT');
    expect(await once(second, 'exit')).toEqual([0, null]);
  });

  it.runIf(isThorough)('starts a worker again that was killed', async () => {
    await using story = await openStory();
    story.write('.oka/run_ledger.jsonl', '');
    const up = story.start(['up', '--alone']);
    const { pid } = (await story.until('the worker', async () => (await story.eventsOf('worker.started'))[0])).data;
    process.kill(pid, 'SIGKILL');
    await story.until('the next worker', async () => yes((await story.eventsOf('worker.started')).length === 2));
    up.kill('SIGINT');
    expect(await once(up, 'exit')).toEqual([0, null]);
  });
});
