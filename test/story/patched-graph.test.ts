import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { openStory, type Story } from '../support/story.ts';

const bounds = { timeout_seconds: 60, max_retries: 0 };
const shell = (id: string, line: string, needs: string[] = []): object => ({
  kind: 'tool',
  id,
  tool: 'shell',
  needs,
  input: { line },
  ...bounds,
});

/** Reads a file that is not there; what follows takes long enough to be killed in. */
const publish = {
  id: 'publish',
  nodes: [
    shell('mark', 'echo mark >> marks.txt; echo "a b c"'),
    {
      kind: 'map',
      id: 'each',
      needs: ['mark'],
      over: '{{input.names}}',
      parallel: 1,
      each: { ...shell('x', 'echo {{item}} >> marks.txt'), id: 'x' },
      ...bounds,
    },
    { kind: 'tool', id: 'fetch', tool: 'files.read', needs: ['each'], input: { path: 'missing.txt' }, ...bounds },
    shell('slow', 'echo slow >> marks.txt; until [ -e go ]; do sleep 0.05; done; echo end >> marks.txt', ['fetch']),
    {
      kind: 'tool',
      id: 'report',
      tool: 'files.write',
      needs: ['slow'],
      input: { path: 'report.txt', content: '{{fetch.content}}' },
      ...bounds,
    },
  ],
};

const MARKS = 'mark\nanna\nben\n';

async function startWorker(story: Story): Promise<ReturnType<Story['start']>> {
  const before = (await story.eventsOf('worker.started')).length;
  const worker = story.start(['worker']);
  await story.until('the worker', async () => (await story.eventsOf('worker.started'))[before]);
  return worker;
}

describe('a graph that fails', () => {
  it('is patched and resumed by the worker, which is killed meanwhile: the command goes on, and nothing is done twice', async () => {
    await using story = await openStory();
    story.write('workspace/graphs/publish.json', JSON.stringify(publish));
    const first = await story.oka('graph', 'run', 'publish', '--id', 'r', '--input', '{"names":["anna","ben"]}');
    expect(first).toMatchObject({ code: 1, out: expect.stringContaining('missing.txt') });
    expect(story.deskText('marks.txt')).toBe(MARKS);

    const worker = await startWorker(story);
    expect(await story.oka('graph', 'patch', 'publish', 'fetch', 'input', '{"path":"marks.txt"}')).toMatchObject({
      code: 0,
    });
    const resumed = story.oka('graph', 'resume', 'r');
    await story.until('the slow step', async () => story.deskText('marks.txt')?.includes('slow') || undefined);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    story.write('workspace/desk/go', '');

    expect(await resumed).toMatchObject({ code: 0, out: expect.stringContaining('r-again done') });
    expect((await story.eventsOf('run.ended', 'r-again')).map(({ data }) => data.status)).toEqual(['done']);
    expect(story.deskText('marks.txt')).toBe(`${MARKS}slow\nend\n`);
    expect(story.deskText('report.txt')).toBe(MARKS);
    await expectOneCallEach(story);
    expect((await story.oka('replay', 'r-again', '--mode', 'decision')).code).toBe(0);
    expect(await verifyLedger(story.home.ledgers.run)).toMatchObject({ state: 'intact' });
  });
});

/** Of both runs together, every step was called once, besides the one that failed. */
async function expectOneCallEach(story: Story): Promise<void> {
  const calls = (await story.eventsOf('call.started')).map(({ run, data }) => `${run} ${data.node}`);
  expect(calls).toEqual([
    'r mark',
    'r each__0',
    'r each__1',
    'r fetch',
    'r-again fetch',
    'r-again slow',
    'r-again report',
  ]);
  const reused = (await story.eventsOf('node.settled', 'r-again')).map(({ data }) => data.reason);
  expect(reused.filter((reason) => reason === 'reused from run r')).toHaveLength(4);
}
