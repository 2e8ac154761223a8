/** Homes as older versions have left them (test/fixture/golden/homes/make.sh): read, replayed, rebuilt and continued. */
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { Story } from '../support/story.ts';

const FOLDER = join(import.meta.dirname, '../fixture/golden/homes');
const commits = globSync('*.tar.gz', { cwd: FOLDER }).map((file) => basename(file, '.tar.gz'));

function unpack(commit: string): Story {
  const dir = mkdtempSync(join(tmpdir(), 'oka-golden-'));
  const { status, stderr } = spawnSync('tar', ['-C', dir, '-xzf', join(FOLDER, `${commit}.tar.gz`)]);
  if (status !== 0) throw new Error(String(stderr));
  return new Story(homeAt(dir), null);
}

/** Answers every page that asks; one that has expired meanwhile is followed by another. */
function denyPages({ home }: Story): void {
  const folder = join(home.oka, 'approvals');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.md'))) {
    const page = readFileSync(join(folder, name), 'utf8');
    if (/^decision:$/m.test(page)) writeFileSync(join(folder, name), page.replace(/^decision:$/m, 'decision: deny'));
  }
}

it('there is a home of every version that people may have', () => {
  expect(commits).toEqual(expect.arrayContaining(['2e8a8acc', '2295d3c6']));
});

it('U2 a home that a newer version has written to is refused with the reason, and is not changed', async () => {
  await using story = unpack('2295d3c6');
  const { run: file } = story.home.ledgers;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const [before = ''] = (lines.pop() ?? '').replace('"v":1,', '"v":9,').split(',"hash"');
  writeFileSync(file, `${[...lines, `${before},"hash":"${hash('sha256', before)}"}`].join('\n')}\n`);
  const newer = readFileSync(file, 'utf8');
  const started = await story.oka('worker');
  expect(started).toMatchObject({ code: 3, err: expect.stringContaining('has version 9; this oka knows up to 1') });
  expect(started.err).toContain('Use the version of oka that wrote this ledger, or a newer one.');
  expect(readFileSync(file, 'utf8')).toBe(newer);
});

describe.each(commits)('the home of %s', (commit) => {
  it('is intact; its runs are listed, shown and replayed', async () => {
    await using story = unpack(commit);
    expect(await story.oka('verify')).toMatchObject({ code: 0, out: expect.stringContaining('intact, 79 events') });
    const runs = (await story.oka('runs', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { run: string; status: string });
    expect(runs.map(({ status }) => status).toSorted()).toEqual(['blocked', 'done', 'done', 'failed']);
    for (const { run } of runs) {
      expect(await story.oka('show', run)).toMatchObject({ code: 0 });
      expect(await story.oka('replay', run, '--mode', 'decision')).toMatchObject({ code: 0 });
    }
  });

  it('is rebuilt to the task graph that the older version has left', async () => {
    await using story = unpack(commit);
    const goals = (): unknown =>
      (JSON.parse(readFileSync(join(story.home.oka, 'active_task_graph.json'), 'utf8')) as { goals: unknown }).goals;
    const before = goals();
    expect(await story.oka('rebuild')).toMatchObject({ code: 0, out: expect.stringContaining('79 events folded') });
    expect(goals()).toEqual(before);
  });

  it('goes on: an old approval page is understood, and a new task is done', async () => {
    await using story = unpack(commit);
    denyPages(story);
    story.work();
    const [run = ''] = (await story.waiting()).map((each) => each.run.split('.')[0]);
    await story.until('the end of the task that waited', async () => {
      denyPages(story);
      return (await story.eventsOf('run.ended', run))[0];
    });
    expect((await story.ended(run)).page).toMatch(/den/i);
    story.drop('next.md', '# Next\n\n```sh\ncat words.txt first.txt > next.txt\n```\n');
    await story.until('the next task', async () =>
      (await story.eventsOf('run.ended')).find((e) => e.run?.startsWith('next')),
    );
    expect(story.deskText('next.txt')).toBe('one two three\nfirst\n');
    await story.rest();
    expect(await story.oka('verify')).toMatchObject({ code: 0 });
  });
});
