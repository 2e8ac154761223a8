import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';
import { isThorough } from '../support/thorough.ts';

const fence = (info: string, code: string): string => `\`\`\`bash ${info}\n${code}\n\`\`\`\n`;

/** Kills a worker, and with it the launchers of its commands: then nobody saw how a command ended. */
async function killAll(worker: ChildProcess): Promise<void> {
  const launchers = childrenOf(worker.pid ?? 0).flatMap(childrenOf); // a process of the worker's starts them
  expect(launchers).toHaveLength(1);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  for (const pid of launchers) process.kill(pid, 'SIGKILL');
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

describe('the acceptance of a step', () => {
  it.concurrent('of a runbook: one that holds lets the next step run, one that does not fails the task and says why', async () => {
    await using story = await openStory();
    story.work();
    const first = fence(
      'id:make accept:"contains: a.txt \\"ready\\"" accept:"command: test -s a.txt"',
      'echo ready > a.txt',
    );
    story.drop('good.md', `---\nid: good\n---\n${first}${fence('id:use accept:"rows: b.txt == 1"', 'cp a.txt b.txt')}`);
    const good = await story.ended('good');
    expect(good.status).toBe('done');
    story.drop(
      'bad.md',
      `---\nid: bad\n---\n${fence('id:make accept:"file: never-there.txt"', 'echo made > c.txt')}${fence('id:use', 'touch d.txt')}`,
    );
    const bad = await story.ended('bad');
    expect(bad.status).toBe('failed');
    const reason = 'its acceptance is not met: file: never-there.txt (never-there.txt is not there)';
    expect(bad.reason).toContain(`make: ${reason}`);
    expect(bad.page).toContain(reason);
    expect([story.deskText('c.txt'), story.deskText('d.txt')]).toEqual(['made\n', null]);
    const [steps] = (await story.eventsOf('run.started')).filter(({ data }) => data.parent === 'bad');
    const { out } = await story.oka('explain', steps?.run ?? '');
    expect(out).toContain('its acceptance is not met');
    expect((await story.oka('replay', steps?.run ?? '', '--mode', 'decision')).out).toContain('the same');
  });

  it.concurrent('is looked for in the folder of the task', async () => {
    await using story = await openStory();
    story.write('workspace/desk/sub/y/z.txt', 'z');
    story.work();
    story.drop(
      'inside.md',
      `---\nid: inside\ndir: sub\n---\n${fence('accept:"file: x.txt" accept:"unchanged: y/**"', 'echo x > x.txt')}`,
    );
    expect((await story.ended('inside')).status).toBe('done');
    expect(story.deskText('sub/x.txt')).toBe('x\n');
  });

  it.concurrent('with a word that is no check is refused before anything runs', async () => {
    await using story = await openStory();
    story.work();
    story.drop(
      'wrong.md',
      `---\nid: wrong\naccept: ['exists: b.txt']\n---\n${fence('accept:"exists: a.txt"', 'touch a.txt')}`,
    );
    const { status, reason } = await story.ended('wrong');
    expect(status).toBe('failed');
    expect(reason).toContain('accept[0]: "exists: b.txt": "exists" is not a check, did you mean "file: b.txt"?');
    expect(reason).toContain('line 5: accept: "exists: a.txt": "exists" is not a check, did you mean "file: a.txt"?');
    expect(story.deskText('a.txt')).toBeNull();
  });

  it.concurrent('of a graph: it fails when it does not hold, and a graph with a word that is no check is refused', async () => {
    await using story = await openStory();
    const node = {
      kind: 'tool',
      id: 'a',
      tool: 'shell',
      input: { line: 'echo x > x.txt' },
      timeout_seconds: 30,
      max_retries: 0,
    };
    const graph = (acceptance: string[]): string => JSON.stringify({ id: 'g', nodes: [{ ...node, acceptance }] });
    story.write('good.json', graph(['file: x.txt is not empty']));
    story.write('bad.json', graph(['file: never-there.txt']));
    story.write('wrong.json', graph(['exists: x.txt']));
    const run = (file: string) => story.oka('graph', 'run', join(story.home.dir, file));
    const good = await run('good.json');
    expect(good.code).toBe(0);
    const bad = await run('bad.json');
    expect(bad.code).toBe(1);
    expect(bad.out + bad.err).toContain('a: its acceptance is not met: file: never-there.txt');
    const wrong = await run('wrong.json');
    expect([wrong.code, wrong.err]).toEqual([
      3,
      expect.stringContaining(
        'nodes.0.acceptance.0: "exists: x.txt": "exists" is not a check, did you mean "file: x.txt"?',
      ),
    ]);
    const checked = await story.oka('graph', 'validate', join(story.home.dir, 'wrong.json'));
    expect(checked.out + checked.err).toContain('did you mean "file: x.txt"?');
    const simulated = await story.oka('simulate', join(story.home.dir, 'bad.json'), '--json');
    expect(JSON.parse(simulated.out)).toMatchObject({ status: 'done', calls: [{ node: 'a', tool: 'shell' }] });
  });

  it.concurrent('of a plan by a model: it counts, and the next plan is told what did not hold', async () => {
    const reasons: string[] = [];
    let plans = 0;
    await using story = await openStory({
      model: inParts({
        planner: ({ text }) => {
          reasons.push(text);
          const line = (plans += 1) === 1 ? 'echo a > other.txt' : 'echo a > out.txt';
          const step = {
            id: `write${plans}`,
            tool: 'shell',
            input: { line },
            targets: ['*.txt'],
            accept: ['file: out.txt'],
          };
          return plan([step], ['contains: out.txt "a"']);
        },
      }),
    });
    story.work();
    story.drop('prose.md', '---\nid: prose\n---\nWrite a into out.txt.\n');
    expect((await story.ended('prose')).status).toBe('done');
    expect(plans).toBe(2);
    expect(reasons[1]).toContain('its acceptance is not met: file: out.txt (out.txt is not there)');
  });
});

describe('kill -9 while a step with acceptance is under way, and nobody saw how it ended', () => {
  const task = `---\nid: doubt\n---\n${fence('id:make accept:"file: out.txt"', 'echo once >> marks.txt\necho x > out.txt\nsleep 60')}`;

  it.concurrent('it counts as done when its acceptance holds now and did not before', async () => {
    await using story = await openStory();
    story.drop('doubt.md', task);
    const worker = story.start(['worker']);
    await story.until('the file', async () => story.deskText('out.txt') ?? undefined);
    await killAll(worker);
    story.work();
    const { status } = await story.ended('doubt');
    expect(status).toBe('done');
    expect(story.deskText('marks.txt')).toBe('once\n');
    expect((await story.eventsOf('node.settled')).map(({ data }) => [data.node, data.reason])).toContainEqual([
      'make',
      'its acceptance is met, which it was not before the call',
    ]);
  });

  it.runIf(isThorough).concurrent('a person is asked when it held before: that proves nothing', async () => {
    await using story = await openStory();
    story.write('workspace/desk/out.txt', 'from before\n');
    story.drop('doubt.md', task);
    const worker = story.start(['worker']);
    await story.until('the mark', async () => story.deskText('marks.txt') ?? undefined);
    await killAll(worker);
    story.work();
    const { wait, for: awaited } = await story.asked('question');
    expect(awaited).toMatchObject({ text: expect.stringContaining('Did it happen?') });
    await story.oka('answer', wait, 'done');
    expect((await story.ended('doubt')).status).toBe('done');
    expect(story.deskText('marks.txt')).toBe('once\n');
  });
});
