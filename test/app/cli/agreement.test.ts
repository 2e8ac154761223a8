import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TaskGraph } from '../../../src/core/ledger/task-graph.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const TWO = {
  id: 'two',
  mode: 'flex',
  nodes: [
    { kind: 'wait', id: 'a', for: { kind: 'question', text: 'Which colour?' } },
    { kind: 'wait', id: 'b', for: { kind: 'question', text: 'Which size?' } },
  ],
};

it('status, runs, show, explain and the task graph agree about a run that got one of two answers', async () => {
  using folder = temporaryFolder();
  const { dir } = folder;
  await oka('init', '--dir', dir);
  writeFileSync(join(dir, 'two.json'), JSON.stringify(TWO));
  await oka('graph', 'run', join(dir, 'two.json'), '--dir', dir);
  const [run] = json<{ run: string }>(await oka('runs', '--json', '--dir', dir)) as [{ run: string }];
  const answered = await oka('answer', `${run.run}.a.0.w0`, 'red', '--dir', dir);
  expect(answered.err).toBe('');

  const [status] = json<{ goals: TaskGraph['goals'] }>(await oka('status', '--json', '--dir', dir));
  const [shown] = json<{ goal: TaskGraph['goals'][number] }>(await oka('show', run.run, '--json', '--dir', dir));
  const [listed] = json<{ status: string }>(await oka('runs', '--json', '--dir', dir));
  const [explained] = json<{ status: string }>(await oka('explain', run.run, '--json', '--dir', dir));
  const file = JSON.parse(readFileSync(join(dir, '.oka/active_task_graph.json'), 'utf8')) as { state: TaskGraph };

  const statuses = [status?.goals[0], shown?.goal, listed, explained, file.state.goals[0]].map((each) => each?.status);
  expect(statuses).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'blocked']);
  for (const goal of [status?.goals[0], shown?.goal, file.state.goals[0]])
    expect(goal?.nodes.map((node) => [node.id, node.status])).toEqual([
      ['a', 'done'],
      ['b', 'waiting'],
    ]);
});

function json<T>({ out }: { out: string }): T[] {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
