import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { openStory } from '../support/story.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const step = (id: string, line: string, needs: string[] = []): object => ({
  id,
  kind: 'tool',
  tool: 'shell',
  input: { line },
  needs,
  ...bounds,
});

/** Without what differs from run to run. */
function shownBy(out: string): object {
  const { run, status, steps, waits, path } = JSON.parse(out) as Record<string, unknown>;
  return { run, status, steps, waits: (waits as unknown[]).length, path };
}

it('a graph that is run beside a worker is run by it, with the answer and the exit code that it has alone', async () => {
  await using story = await openStory({});
  const graph = (id: string, last: string): string => {
    const file = join(story.home.dir, `${id}.json`);
    const nodes = [step('a', 'echo once >> counted.txt'), step('b', last, ['a'])];
    writeFileSync(file, JSON.stringify({ id, nodes }));
    return file;
  };
  const good = graph('good', 'cat counted.txt');
  const bad = graph('bad', 'exit 3');
  const alone = [
    await story.oka('graph', 'run', good, '--id', 'g', '--json'),
    await story.oka('graph', 'run', bad, '--id', 'f', '--json'),
    await story.oka('graph', 'run', good, '--id', 'u', '--until', 'a', '--json'),
  ];
  const worker = story.start(['worker']);
  await story.until('the worker', async () => penHolder(story.home.ledgers.run) ?? undefined);
  const beside = [
    await story.oka('graph', 'run', good, '--id', 'g2', '--json'),
    await story.oka('graph', 'run', bad, '--id', 'f2', '--json'),
    await story.oka('graph', 'run', good, '--id', 'u2', '--until', 'a', '--json'),
  ];
  expect(beside.map(({ code }) => code)).toEqual(alone.map(({ code }) => code));
  for (const [at, { out }] of beside.entries())
    expect({ ...shownBy(out), run: '' }).toEqual({ ...shownBy(alone[at]?.out ?? '{}'), run: '' });
  expect((await story.eventsOf('intake.received')).map(({ data }) => data.intake.kind)).toEqual(
    beside.map(() => 'run_graph'),
  );
  const taken = await story.oka('graph', 'run', good, '--id', 'g2');
  expect(taken).toMatchObject({ code: 2, err: expect.stringContaining('a name means one run') });
  expect(readFileSync(join(story.home.workspace, 'desk/counted.txt'), 'utf8')).toBe('once\n'.repeat(6));
  worker.kill('SIGTERM');
  await new Promise((done) => worker.once('exit', done));
});
