import { chmodSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';

const taskText = (story: Story, run: string): string =>
  readFileSync(join(story.home.workspace, 'outbox', run, 'TASK.md'), 'utf8');

/** The run of the task that was received next. */
const nextRun = (story: Story, number: number): Promise<string> =>
  story.until(`task ${number}`, async () => (await story.eventsOf('task.received'))[number]?.run ?? undefined);

describe('oka again', () => {
  it('does a task again from its stored text, which is also in the outbox', async () => {
    await using story = await openStory();
    story.work();
    const text = '---\nid: once\ntitle: Count\n---\n```bash\necho x >> count.txt\n```\n';
    story.drop('count.md', text);
    await story.ended('once');
    expect(taskText(story, 'once')).toBe(text);
    expect((await story.oka('again', 'once')).out).toMatch(/^Added again: Count/);
    const run = await nextRun(story, 1);
    expect((await story.ended(run)).status).toBe('done');
    expect([run.startsWith('count-'), story.deskText('count.txt')]).toEqual([true, 'x\nx\n']);
  });

  it('does a task folder again with its files, links and modes', async () => {
    await using story = await openStory();
    story.write('staged/TASK.md', '```bash\n./go.sh > out.txt\n```\n');
    story.write('staged/go.sh', '#!/bin/sh\ncat data/latest\n');
    story.write('staged/data/1.txt', 'one\n');
    chmodSync(join(story.home.dir, 'staged/go.sh'), 0o755);
    symlinkSync('1.txt', join(story.home.dir, 'staged/data/latest'));
    renameSync(join(story.home.dir, 'staged'), join(story.home.workspace, 'inbox', 'job'));
    story.work();
    const first = await nextRun(story, 0);
    expect((await story.ended(first)).status).toBe('done');
    await story.oka('again', first);
    const second = await nextRun(story, 1);
    expect((await story.ended(second)).status).toBe('done');
    expect(second).not.toBe(first);
    for (const run of [first, second]) {
      expect(story.deskText(`${run}/out.txt`)).toBe('one\n');
      expect(readlinkSync(story.desk(`${run}/data/latest`))).toBe('1.txt');
      expect(statSync(story.desk(`${run}/go.sh`)).mode & 0o777).toBe(0o755);
    }
  });

  it('refuses a run without a task, and one whose text contained a secret', async () => {
    await using story = await openStory();
    story.work();
    story.drop('a.md', '---\nid: keyed\n---\n```bash\ntrue # AKIAIOSFODNN7EXAMPLE\n```\n');
    await story.ended('keyed');
    expect(taskText(story, 'keyed')).not.toContain('AKIAIOSFODNN7');
    expect(await story.oka('again', 'keyed')).toMatchObject({ code: 3, err: expect.stringContaining('secret') });
    expect((await story.oka('again', 'nothing')).code).not.toBe(0);
  });
});
