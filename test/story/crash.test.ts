import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, partOf, type Parts, plan, verdict } from '../support/story-model.ts';
import { casesOf, isThorough } from '../support/thorough.ts';
import { calls, stall } from '../support/wire-server-reply.ts';

const TASK = `---
id: survivor
---
Write the word survived into s.txt.
`;

const answers = inParts({
  planner: () =>
    plan(
      [
        { id: 'mark', tool: 'shell', input: { line: 'echo once >> marks.txt' }, targets: ['marks.txt'] },
        { ...goal('write', 'Write it', ['files.write', 'files.read'], ['s.txt']), needs: ['mark'] },
      ],
      ['s.txt tells who came through.'],
    ),
  executor: acting(
    calls([
      { name: 'files_write', input: { path: 's.txt', content: 'the worker survived\n' } },
      { name: 'files_read', input: { path: 's.txt' } },
    ]),
  ),
  critic: ({ text }) => {
    const piece = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
    return verdict('done', [{ criterion: 'c1', holds: true, evidence: piece, quote: 'the worker survived' }]);
  },
});

async function killed(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
}

async function goesOn(story: Story): Promise<void> {
  story.work();
  const { status } = await story.ended('survivor');
  expect(status).toBe('done');
  expect(story.deskText('marks.txt')).toBe('once\n');
  expect(story.deskText('s.txt')).toBe('the worker survived\n');
  const ends = new Map((await story.eventsOf('call.ended')).map(({ data }) => [data.call, data.status]));
  const writes = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'files.write');
  expect(writes.map(({ data }) => ends.get(data.call)).filter((status) => status !== 'waiting')).toEqual(['ok']);
  expect(await story.eventsOf('run.ended', 'survivor')).toHaveLength(1);
  expect(await story.eventsOf('task.received')).toHaveLength(1);
  expect(await verifyLedger(story.home.ledgers.run)).toMatchObject({ state: 'intact' });
}

const STATES: [state: string, part: keyof Parts][] = [
  ['PLAN', 'planner'],
  ['EXECUTE', 'executor'],
  ['CRITIQUE', 'critic'],
];

describe('a worker that is killed', () => {
  it.concurrent.each(casesOf(STATES, ([state]) => state === 'EXECUTE'))(
    'W2 in %s goes on where it was, and nothing is done twice',
    async (_, part) => {
      let isDead = false;
      await using story = await openStory({
        model: (request) => (partOf(request) === part && !isDead ? stall() : answers(request)),
      });
      story.drop('survivor.md', TASK);
      const worker = story.start(['worker']);
      await story.until(`the ${part}`, async () => story.model.requests.find((request) => partOf(request) === part));
      await killed(worker);
      isDead = true;
      await goesOn(story);
    },
  );

  it.runIf(isThorough)('W2 while a person is awaited goes on waiting, and the answer finds it', async () => {
    await using story = await openStory({
      model: answers,
      policy: (text) => text.replace('write_local: allow', 'write_local: ask'),
    });
    story.drop('survivor.md', TASK);
    const worker = story.start(['worker']);
    const { wait } = await story.asked('approval');
    await killed(worker);
    await story.oka('approve', wait);
    const again = await story.until('the next question', async () =>
      (await story.waiting()).find((each) => each.wait !== wait),
    );
    await story.oka('approve', again.wait);
    await goesOn(story);
  });

  it.runIf(isThorough)(
    'W2 a result that was not told any more is told at the next start; one that was removed stays away',
    async () => {
      await using story = await openStory();
      story.drop('survivor.md', '---\nid: survivor\n---\n```bash\ntrue\n```\n');
      const worker = story.start(['worker']);
      const { page } = await story.ended('survivor');
      await killed(worker);
      rmSync(join(story.home.workspace, 'outbox/survivor'), { recursive: true });
      story.work();
      expect((await story.ended('survivor')).page).toBe(page);
      await story.rest();
      rmSync(join(story.home.workspace, 'outbox/survivor'), { recursive: true });
      story.work();
      story.drop('next.md', '---\nid: next\n---\n```bash\ntrue\n```\n');
      await story.ended('next');
      expect(story.page('survivor')).toBeNull();
    },
  );

  it.concurrent('a command that was under way is seen to its end by its launcher, and can be undone', async () => {
    await using story = await openStory();
    story.drop(
      'survivor.md',
      '---\nid: survivor\n---\n```bash\necho once >> marks.txt\nsleep 2\necho "the worker survived" > s.txt\n```\n',
    );
    const worker = story.start(['worker']);
    await story.until('the command', async () => story.deskText('marks.txt') ?? undefined);
    await killed(worker);
    await sleep(50);
    story.work();
    const { status, page } = await story.ended('survivor');
    expect(status).toBe('done');
    expect(story.deskText('marks.txt')).toBe('once\n');
    expect(page).toContain('new [`s.txt`](files/s.txt)');
    await story.oka('undo', 'survivor');
    await story.until('the undo', async () => (await story.eventsOf('run.undone'))[0]);
    expect(story.deskText('s.txt')).toBeNull();
    expect(story.deskText('marks.txt')).toBeNull();
  });

  it.concurrent('K3 nobody else writes to the desk while a command of the process before is running', async () => {
    await using story = await openStory({ config: { inbox: { settle_ms: 20, rescan_ms: 200, parallel: 4 } } });
    story.drop('first.md', task('first', 'date +%s%N > first.begin\nsleep 4\ndate +%s%N > first.end'));
    const worker = story.start(['worker']);
    await story.until('the command', async () => story.deskText('first.begin') ?? undefined);
    story.drop('second.md', task('second', 'date +%s%N > second.begin'));
    await story.until('the next step', async () =>
      (await story.eventsOf('call.started')).find(
        ({ run, data }) => data.tool === 'shell' && run?.startsWith('second') === true,
      ),
    );
    await killed(worker);
    story.work();
    const { page } = await story.ended('first');
    const other = await story.ended('second');
    expect(BigInt(story.deskText('second.begin') ?? 0)).toBeGreaterThan(BigInt(story.deskText('first.end') ?? 0));
    expect(page).not.toContain('second.begin');
    expect(other.page).not.toContain('first.end');
    await story.oka('undo', 'first');
    await story.until('the undo', async () => (await story.eventsOf('run.undone'))[0]);
    expect([story.deskText('first.end'), story.deskText('second.begin')]).toEqual([null, expect.stringMatching(/\d/)]);
  });

  it.concurrent('K3 what a killed launcher left running is ended before anybody else writes', async () => {
    await using story = await openStory();
    const escaping = `(env -i /usr/bin/setsid /bin/bash -c 'echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 300' &)\nsleep 300`;
    story.drop('first.md', task('first', escaping));
    const worker = story.start(['worker']);
    const pid = Number(await story.until('the process', async () => story.deskText('pid') ?? undefined));
    const launchers = childrenOf(worker.pid ?? 0).flatMap(childrenOf);
    expect(launchers).toHaveLength(1);
    await killed(worker);
    for (const each of launchers) process.kill(each, 'SIGKILL');
    expect(isAlive(pid)).toBe(true);
    story.work();
    story.drop('second.md', task('second', 'ps -o stat= -p "$(cat pid)" > seen || true'));
    await story.ended('second');
    expect(isAlive(pid)).toBe(false);
    expect(story.deskText('seen')).not.toMatch(/^[A-Y]/m);
  });
});

function childrenOf(pid: number): number[] {
  const listed = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
  return listed.trim().split(/\s+/).filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

const task = (id: string, lines: string): string => `---\nid: ${id}\n---\n\`\`\`bash\n${lines}\n\`\`\`\n`;
