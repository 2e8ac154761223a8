import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStory, type Story, type StoryOptions } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { casesOf, isThorough } from '../support/thorough.ts';
import { call, fail } from '../support/wire-server-reply.ts';

/**
 * The clock of real processes is wrong by what a file says (support/set-clock.ts), and their monotonic clock goes on: so
 * a sleep of the machine looks like a clock that is set forward. Each state of a run meets each jump.
 */
const preload = pathToFileURL(join(import.meta.dirname, '../support/set-clock.ts')).href;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const jumps = { second: SECOND, minute: 45 * SECOND, hour: HOUR, day: DAY };
const JUMPS = casesOf(
  Object.entries(jumps).flatMap(([name, ms]) => [
    { id: `forward-${name}`, ms },
    { id: `back-${name}`, ms: -ms },
  ]),
  ({ id }) => id === 'forward-hour' || id === 'back-day',
);

const CHANGES = [
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
] as const;

/** A home with a worker whose clock the test sets. */
async function clockStory(options: StoryOptions = {}, env: Record<string, string> = {}) {
  const story = await openStory(options);
  const set = (ms: number): void => story.write('clock', String(ms));
  const start = () =>
    story.start(['worker'], {
      ...env,
      OKA_TEST_CLOCK: join(story.home.dir, 'clock'),
      NODE_OPTIONS: `--import ${preload}`,
    });
  set(0);
  return { story, set, start, [Symbol.asyncDispose]: () => story[Symbol.asyncDispose]() };
}

/** The seconds it may work are fewer than those of most jumps. */
const task = (id: string, ...steps: string[]): string =>
  `---\nid: ${id}\nbudget:\n  seconds: 30\n---\n${steps.map((step) => `\`\`\`bash\n${step}\n\`\`\`\n`).join('\n')}`;

const waitFor = (file: string): string => `touch ${file}.begun; until [ -e ${file} ]; do sleep 0.05; done; sleep 0.1`;

async function isDone(story: Story, id: string): Promise<void> {
  expect([id, (await story.ended(id)).page]).toEqual([id, expect.stringContaining('✅ Done')]);
}

const begun = (story: Story, id: string): Promise<true> =>
  story.until(`the step of ${id}`, async () => (story.deskText(`${id}.begun`) === null ? undefined : true));

describe('a clock that is set, or a machine that sleeps,', { timeout: 240_000 }, () => {
  it('while a step runs neither strands the task nor spends its budget; the worker stays healthy', async () => {
    await using clocks = await clockStory();
    const { story, set } = clocks;
    clocks.start();
    for (const { id, ms } of JUMPS) {
      story.drop(`${id}.md`, task(id, waitFor(id), 'true'));
      await begun(story, id);
      set(ms);
      expect((await story.oka('status', '--health')).code).toBe(0);
      story.write(`workspace/desk/${id}`, '');
      await isDone(story, id);
    }
    // A second is as long as what still counts as work, so that such a jump may or may not be recorded.
    const long = JUMPS.filter(({ id }) => id !== 'forward-second');
    expect((await story.eventsOf('run.time_skipped')).length).toBeGreaterThanOrEqual(long.length);
  });

  it.runIf(isThorough)('while tasks are in the inbox does not keep them there', async () => {
    await using clocks = await clockStory();
    const { story, set } = clocks;
    clocks.start();
    for (const { id, ms } of JUMPS) {
      story.write('.oka/PAUSED', '');
      story.drop(`${id}.md`, task(id, 'true'));
      await sleep(300);
      set(ms);
      rmSync(join(story.home.oka, 'PAUSED'));
      await isDone(story, id);
    }
  });

  it.runIf(isThorough)('while a task waits for a person does not spend its budget', async () => {
    const policy = (text: string): string =>
      text.replace('write_local: allow', 'write_local: ask').replace(/expire_hours: \d+/, 'expire_hours: 720');
    await using clocks = await clockStory({ policy });
    const { story, set } = clocks;
    clocks.start();
    for (const { id, ms } of JUMPS) {
      story.drop(`${id}.md`, task(id, `touch ${id}`));
      const { wait } = await story.asked('approval');
      set(ms);
      await story.oka('approve', wait);
      await isDone(story, id);
    }
  });

  it.runIf(isThorough)(
    'while no worker runs does not spend the budget of a task that was killed in the middle of a step',
    async () => {
      await using clocks = await clockStory();
      const { story, set } = clocks;
      for (const { id, ms } of JUMPS) {
        const worker = clocks.start();
        story.drop(`${id}.md`, task(id, waitFor(id), 'true'));
        await begun(story, id);
        worker.kill('SIGKILL');
        await once(worker, 'exit');
        set(ms);
        story.write(`workspace/desk/${id}`, '');
        const next = clocks.start();
        await isDone(story, id);
        next.kill('SIGTERM');
        await once(next, 'exit');
      }
    },
  );

  it('while everything is stopped does not spend the budget of what goes on afterwards', async () => {
    await using clocks = await clockStory();
    const { story, set } = clocks;
    clocks.start();
    for (const { id, ms } of JUMPS) {
      story.drop(`${id}.md`, task(id, waitFor(id), 'true'));
      await begun(story, id);
      story.write('.oka/STOP', '');
      const inside = ({ run }: { run: string | null }): boolean => run?.startsWith(`${id}.`) ?? false;
      await story.until('the stop', async () => (await story.eventsOf('call.ended')).findLast(inside));
      set(ms);
      story.write(`workspace/desk/${id}`, '');
      rmSync(join(story.home.oka, 'STOP'));
      await story.until(`the end of ${id}`, async () => {
        for (const { wait } of await story.waiting()) await story.oka('answer', wait, 'repeat');
        return (await story.eventsOf('run.ended', id))[0];
      });
      await isDone(story, id);
    }
  });

  it('while a model is down does not make its pauses longer', async () => {
    let isDown = true;
    const answers = inParts({
      planner: () => plan([goal('write', 'Write it', ['files.write'])], ['contains: p.txt "here"']),
      executor: acting(call('files_write', { path: 'p.txt', content: 'here' })),
    });
    await using clocks = await clockStory({ model: (request) => (isDown ? fail(503) : answers(request)) });
    const { story, set } = clocks;
    clocks.start();
    story.drop('patient.md', '---\nid: patient\n---\nWrite p.txt.\n');
    const timers = async () => (await story.eventsOf('wait.opened')).filter(({ data }) => data.for.kind === 'timer');
    await story.until('a pause', async () => (await timers())[0]);
    for (const ms of [-DAY, HOUR, -HOUR]) {
      const before = (await timers()).length;
      set(ms);
      await story.until('the next pause', async () => ((await timers()).length > before ? true : undefined));
    }
    isDown = false;
    await isDone(story, 'patient');
  });

  it.runIf(isThorough)('while the worker itself is stopped, as in a suspend, changes nothing', async () => {
    await using clocks = await clockStory();
    const { story, set } = clocks;
    const worker = clocks.start();
    story.drop('slept.md', task('slept', waitFor('slept'), 'true'));
    await begun(story, 'slept');
    worker.kill('SIGSTOP');
    set(8 * HOUR);
    await sleep(2000);
    worker.kill('SIGCONT');
    story.write('workspace/desk/slept', '');
    await isDone(story, 'slept');
  });

  it.runIf(isThorough)('at the change to summer time and back changes nothing, in any time zone', async () => {
    for (const [TZ, change] of CHANGES) {
      await using clocks = await clockStory({}, { TZ });
      const { story, set } = clocks;
      set(Date.parse(change) - 3 * SECOND - Date.now());
      clocks.start();
      for (const id of ['one', 'two', 'three']) {
        story.drop(`${id}.md`, task(id, 'sleep 1.5', 'date > date'));
        await isDone(story, id);
      }
      const ended = (await story.eventsOf('run.ended')).map(({ at }) => at);
      expect(ended.toSorted()).toEqual(ended);
      expect(Date.parse(ended.at(-1) ?? '') - Date.parse(change)).toBeLessThan(10 * MINUTE);
    }
  });
});
