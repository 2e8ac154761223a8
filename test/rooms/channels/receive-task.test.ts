import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IncomingTask } from '../../../src/core/schema/channel-port.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { type ReachingStory, reachingStory, runEnded, runStarted, waitOpened } from '../../support/reaching.ts';

const HOUR = 3_600_000;
const FILE = {
  announce: ['needs_you', 'done'],
  channels: { phone: { kind: 'ntfy', url: 'https://ntfy.example.org', topic: 'oka' } },
};
const task = (id: string, more: Partial<IncomingTask> = {}): IncomingTask => ({
  message: id,
  id,
  from: 'ann@home.test',
  title: 'Totals: "May"',
  text: 'Add the numbers.\n',
  files: [{ name: 'orders.csv', bytes: Buffer.from('a,1\n') }],
  thread: { subject: 'Totals', message: '<1@home.test>', references: [] },
  ...more,
});

describe('a task that comes through a channel', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let story: ReachingStory;
  beforeEach(async () => {
    folder = temporaryFolder();
    story = reachingStory(folder.dir, FILE);
    mkdirSync(join(story.home.workspace, 'inbox'), { recursive: true });
    await story.pass(1000);
  });
  afterEach(async () => {
    await story.close();
    folder[Symbol.dispose]();
  });
  const inInbox = (): string[] =>
    readdirSync(join(story.home.workspace, 'inbox'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(md|csv)$/.test(path),
    );
  const received = (): unknown[] =>
    story.events.flatMap(({ type, data }) => (type === 'channel.received' ? [data] : []));

  it('is a folder in the inbox with its id, and is recorded with who sent it', async () => {
    expect(await story.inbox('phone').task(task('mail-1'))).toMatchObject({ became: 'task' });
    expect(
      inInbox()
        .map((path) => path.split('/').slice(-2).join('/'))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['mail-1/orders.csv', 'mail-1/TASK.md']);
    expect(received()).toMatchObject([
      { became: 'task', task: 'mail-1', from: 'ann@home.test', thread: { message: '<1@home.test>' } },
    ]);
    expect(await story.inbox('phone').task(task('mail-1'))).toMatchObject({ became: 'nothing' });
  });

  it('in words alone has a folder of its own on the desk, as one from a messenger; a runbook has not', async () => {
    const placeOf = async (id: string, text: string): Promise<string> => {
      await story.inbox('phone').task(task(id, { text, files: [] }));
      const file = inInbox().find((path) => path.includes(id)) ?? '';
      return readFileSync(join(story.home.workspace, 'inbox', file), 'utf8');
    };
    expect(await placeOf('mail-1', 'Add the numbers.\n')).toMatch(/^place: "?own"?$/m);
    expect(await placeOf('message-2', '```bash\nls\n```\n')).not.toMatch(/^place:/m);
  });

  it('that the ledger has already is recorded, and not added again', async () => {
    story.known.push('mail-1');
    expect(await story.inbox('phone').task(task('mail-1'))).toMatchObject({ became: 'task' });
    expect(inInbox()).toEqual([]);
  });

  it('that can never be one is refused; one that cannot be stored now is not lost', async () => {
    expect(await story.inbox('phone').task(task('mail-1', { text: 'x'.repeat(2_000_000) }))).toMatchObject({
      became: 'nothing',
    });
    const inbox = join(story.home.workspace, 'inbox');
    rmSync(inbox, { recursive: true });
    writeFileSync(inbox, 'not a folder');
    await expect(story.inbox('phone').task(task('mail-2'))).rejects.toThrow();
    rmSync(inbox);
    mkdirSync(inbox);
    expect(await story.inbox('phone').task(task('mail-2'))).toMatchObject({ became: 'task' });
    expect(received()).toMatchObject([{ became: 'nothing' }, { became: 'task' }]);
  });

  it('counts for an hour, also after a restart', async () => {
    for (const id of ['mail-1', 'mail-2']) await story.inbox('phone').task(task(id));
    await story.inbox('phone').task(task('mail-3', { from: 'bob@home.test' }));
    await story.restart();
    await story.pass(1000);
    expect(story.inbox('phone').tasksSince('ann@home.test', story.now() - HOUR)).toBe(2);
    await story.pass(2 * HOUR, HOUR);
    expect(story.inbox('phone').tasksSince('ann@home.test', story.now() - HOUR)).toBe(0);
  });

  it('has its result sent back as a reply, also while somebody looks at the dashboard, which holds other news back', async () => {
    await story.inbox('phone').task(task('mail-1'));
    await story.append(runStarted('mail-1'), runEnded('mail-1'), runStarted('other'), runEnded('other'));
    for (let second = 0; second < 20; second += 1) {
      story.watch();
      await story.pass(1000);
    }
    expect(story.shown.map(({ message: { run, origin } }) => [run, origin?.from])).toEqual([
      ['mail-1', 'ann@home.test'],
    ]);
  });

  it('asks there, and a copy that was answered there is known as such', async () => {
    await story.append(runStarted('paint'), waitOpened('paint', { kind: 'question', text: 'Which colour?' }));
    await story.pass(2000);
    const closed = {
      type: 'wait.closed',
      run: 'paint',
      data: { wait: 'paint.ask.1', node: 'ask', answer: { verdict: 'answered', text: 'red', through: 'phone' } },
    } as const;
    await story.append(closed);
    await story.pass(3000);
    expect(story.shown.map(({ act, message }) => [act, message.replaces?.answeredHere])).toEqual([
      ['ask', undefined],
      ['close', true],
    ]);
  });
});
