import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/core/schema/event.ts';
import { launcher } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';

const YEAR = new Date().getUTCFullYear();
const later = `${YEAR + 1}-01-01T08:00`;

const task = (fields: string, step = 'date >> runs.txt'): string =>
  `---\ntimezone: UTC\n${fields}\n---\n# Report\n\n\`\`\`bash\n${step}\n\`\`\`\n`;

type Slot = Extract<Event, { type: 'slot.came' }>;

const slotsOf = async (story: Story): Promise<Slot['data'][]> =>
  (await story.eventsOf('slot.came')).map(({ data }) => data);
const changesOf = async (story: Story): Promise<string[]> =>
  (await story.eventsOf('schedule.changed')).map(({ data }) => `${data.schedule} ${data.change}`);
const file = (story: Story, name: string): string => join(story.home.workspace, 'schedules', name);
const lines = (story: Story): number => (story.deskText('runs.txt') ?? '').split('\n').filter(Boolean).length;

/** A moment so many minutes ago, as a field of a task. */
const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 16);

describe('a task that comes again', () => {
  it('moves from the inbox into workspace/schedules, and each due time makes one run of its content as it is then', async () => {
    await using story = await openStory();
    story.work();
    story.drop('report.md', task(`at: ${minutesAgo(5)}`));
    const run = await story.until('the slot', async () => (await slotsOf(story))[0]?.run);
    await story.ended(run);
    expect(existsSync(join(story.home.workspace, 'inbox', 'report.md'))).toBe(false);
    expect(await slotsOf(story)).toMatchObject([{ job: 'schedule/report', how: 'caught_up' }]);
    expect(await changesOf(story)).toEqual(['report added']);
    story.write('workspace/schedules/report.md', task(`at: ${minutesAgo(1)}`, 'echo new >> edited.txt'));
    const second = await story.until('the second slot', async () => (await slotsOf(story))[1]?.run);
    await story.ended(second);
    expect(story.deskText('edited.txt')).toBe('new\n');
    expect(lines(story)).toBe(1);
    expect(await changesOf(story)).toEqual(['report added', 'report changed']);
  });

  it('is not run again by the next worker, and what was recorded and not started is started once', async () => {
    await using story = await openStory();
    story.write('.oka/PAUSED', '');
    story.write('workspace/schedules/report.md', task(`at: ${minutesAgo(5)}`));
    story.work();
    const run = await story.until('the slot', async () => (await slotsOf(story))[0]?.run);
    await story.rest();
    rmSync(join(story.home.oka, 'PAUSED'));
    story.work();
    await story.ended(run);
    await story.rest();
    story.work();
    story.drop('other.md', task('').replace('timezone: UTC\n\n', 'id: other\n'));
    await story.ended('other');
    expect(await slotsOf(story)).toHaveLength(1);
    expect((await story.eventsOf('run.started', run)).length).toBe(1);
  });

  it('that cannot be read is explained next to it, once, while the others go on', async () => {
    await using story = await openStory();
    story.write('workspace/schedules/bad.md', task('every: someday'));
    story.write('workspace/schedules/good.md', task(`at: ${minutesAgo(2)}`));
    story.work();
    await story.ended(await story.until('the slot', async () => (await slotsOf(story))[0]?.run));
    expect(readFileSync(file(story, 'bad.md.reason.md'), 'utf8')).toContain(
      'line 3: front matter field "every": "someday"',
    );
    await story.rest();
    story.work();
    story.write('workspace/schedules/bad.md', task(`at: ${later}`));
    await story.until('the correction', async () =>
      (await changesOf(story)).includes('bad added') ? true : undefined,
    );
    expect(existsSync(file(story, 'bad.md.reason.md'))).toBe(false);
    expect((await changesOf(story)).filter((each) => each === 'bad refused')).toHaveLength(1);
  });

  it('is removed with its file, and a dropped file replaces the one of its name, which is set aside', async () => {
    await using story = await openStory();
    story.work();
    story.drop('report.md', task(`at: ${later}`));
    await story.until('it', async () => ((await changesOf(story)).length > 0 ? true : undefined));
    story.drop('report.md', task(`at: ${later}`, 'echo other'));
    await story.until('the change', async () =>
      (await changesOf(story)).includes('report changed') ? true : undefined,
    );
    expect(readFileSync(file(story, 'report.md'), 'utf8')).toContain('echo other');
    expect(readFileSync(file(story, '.before/report.md'), 'utf8')).toContain('date >> runs.txt');
    rmSync(file(story, 'report.md'));
    await story.until('the removal', async () =>
      (await changesOf(story)).includes('report removed') ? true : undefined,
    );
  });

  it('may be a folder with TASK.md and its files', async () => {
    await using story = await openStory();
    story.work();
    story.write('elsewhere/list/data.csv', 'a,b\n');
    story.drop('list/data.csv', 'a,b\n');
    story.drop('list/TASK.md', task(`at: ${minutesAgo(3)}`, 'cp data.csv copy.csv'));
    const run = await story.until('the slot', async () => (await slotsOf(story))[0]?.run);
    expect((await story.ended(run)).page).toContain('✅ Done');
    expect(existsSync(file(story, 'list/data.csv'))).toBe(true);
  });

  it('runs a graph when its file is JSON and names one', async () => {
    await using story = await openStory();
    const graph = {
      id: 'count',
      nodes: [
        {
          kind: 'tool',
          id: 'write',
          tool: 'files.write',
          input: { path: 'n.txt', content: 'n={{input.n}}' },
          timeout_seconds: 10,
          max_retries: 0,
        },
      ],
    };
    story.write('workspace/graphs/count.json', JSON.stringify(graph));
    story.write(
      'workspace/schedules/hourly.json',
      JSON.stringify({ graph: 'count', input: { n: 3 }, at: `${minutesAgo(4)}Z` }),
    );
    story.work();
    const run = await story.until('the slot', async () => (await slotsOf(story))[0]?.run);
    await story.until('the end', async () => (await story.eventsOf('run.ended', run))[0]);
    expect(story.deskText('n.txt')).toBe('n=3');
    const [saved] = await story.eventsOf('graph.saved');
    expect(saved?.data).toMatchObject({ graph: 'count', cause: 'run' });
  });

  it('is recorded when it is triggered while nothing new begins, which the command says, alone and beside a worker', async () => {
    await using story = await openStory();
    story.write('workspace/schedules/slow.md', task('every: monday 08:00', 'echo x >> x.txt'));
    await story.oka('pause');
    const triggered = [await story.oka('schedule', 'trigger', 'slow')];
    story.work();
    await story.until('the worker', async () => (await story.eventsOf('worker.started'))[0]);
    triggered.push(await story.oka('schedule', 'trigger', 'slow'));
    expect(triggered).toEqual(
      [1, 2].map(() => expect.objectContaining({ code: 4, err: expect.stringContaining('oka unpause') })),
    );
    expect(story.deskText('x.txt')).toBeNull();
    await story.oka('unpause');
    await story.until('both runs', async () => (story.deskText('x.txt') === 'x\nx\n' ? true : undefined));
  });

  it('is cancelled for the next run of its schedule when overlap says so, also where one run at a time is allowed', async () => {
    await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 1 } } });
    const slow = 'if [ -e second ]; then echo done > done.txt; else touch second; sleep 60; fi';
    story.write('workspace/schedules/slow.md', task('every: monday 08:00\noverlap: cancel', slow));
    story.work();
    await story.until('it', async () => ((await changesOf(story)).length > 0 ? true : undefined));
    const triggered = [story.oka('schedule', 'trigger', 'slow')]; // each follows its run to the end
    await story.until('the first run', async () => (story.deskText('second') === null ? undefined : true));
    triggered.push(story.oka('schedule', 'trigger', 'slow'));
    expect((await Promise.all(triggered)).map(({ code }) => code)).toEqual([1, 0]);
    await story.until('the second run', async () => (story.deskText('done.txt') === null ? undefined : true));
    const [first, second] = (await slotsOf(story)).map(({ run }) => run ?? '');
    await story.ended(second ?? '');
    const ends = (await story.eventsOf('run.ended')).flatMap(({ run, data }) =>
      run === first || run === second ? [`${run === first ? 1 : 2} ${data.status}`] : [],
    );
    expect(ends).toEqual(['1 cancelled', '2 done']);
  });
});

it('the console of oka up says what is wrong and what a time led to once, whoever finds it', async () => {
  await using story = await openStory();
  const { config, dir } = story.home;
  const before = readFileSync(config, 'utf8');
  story.write('workspace/schedules/report.md', task(`at: ${minutesAgo(5)}`));
  writeFileSync(config, '{ "inbox": { "parallel": 0 } }');
  let told = '';
  const up = spawn(process.execPath, [launcher, 'up', '--no-setup', '--no-web', '--dir', dir]);
  for (const stream of [up.stdout, up.stderr]) stream.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await expect.poll(() => told, { timeout: 60_000 }).toContain('It starts as soon as');
  writeFileSync(config, before);
  await expect.poll(() => told, { timeout: 60_000 }).toContain('done: Report');
  up.kill('SIGTERM');
  await once(up, 'exit');
  const lines = told.split('\n').map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
  expect(lines.filter((line, index) => line !== '' && lines.indexOf(line) < index)).toEqual([]);
  expect(lines.filter((line) => line.startsWith('schedule/report, '))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('scheduled: Report'))).toHaveLength(1);
});
