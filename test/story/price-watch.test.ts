/**
 * A price watcher through the command line: it fetches a price, compares it with what it remembers, remembers the new
 * one and reports. It is killed at any moment of a run and a worker goes on: each price is remembered exactly once.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { KillMoment } from '../support/kill-at-event.ts';
import { portOf } from '../support/recording-server.ts';
import { openStory, type Story } from '../support/story.ts';
import { casesOf } from '../support/thorough.ts';

const killing = pathToFileURL(fileURLToPath(new URL('../support/kill-at-event.ts', import.meta.url))).href;
const bounds = { timeout_seconds: 60, max_retries: 1 };

let price = '';
let server: Server;
beforeAll(async () => {
  server = createServer((_, response) => void response.end(price));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

const graph = (port: number): object => ({
  id: 'price-watch',
  nodes: [
    { kind: 'tool', id: 'fetch', tool: 'http.get', input: { url: `http://127.0.0.1:${port}/` }, ...bounds },
    { kind: 'read_state', id: 'before', key: 'price', needs: ['fetch'], ...bounds },
    {
      kind: 'typed_condition',
      id: 'changed',
      left: '{{fetch.body}}',
      operator: 'ne',
      right: '{{before.value}}',
      needs: ['before'],
      branches: { true: 'remember', false: 'quiet' },
      ...bounds,
    },
    {
      kind: 'write_state',
      id: 'remember',
      key: 'price',
      value: '{{fetch.body}}',
      expect: '{{before.value}}',
      ...bounds,
    },
    {
      kind: 'tool',
      id: 'report',
      tool: 'files.write',
      needs: ['remember'],
      input: { path: 'price.md', content: 'It was {{before.value}}, now it is {{state.price}}.\n' },
      ...bounds,
    },
    { kind: 'tool', id: 'quiet', tool: 'files.write', input: { path: 'same.md', content: 'No change.\n' }, ...bounds },
  ],
});

async function openShop(): Promise<Story> {
  const host = `127.0.0.1:${portOf(server)}`;
  const story = await openStory({
    policy: (text) => text.replace('rules: []', `rules:\n  - { effect: allow, host: '${host}' }`),
  });
  story.write('workspace/graphs/price-watch.json', JSON.stringify(graph(portOf(server))));
  expect(await story.oka('graph', 'validate', 'price-watch')).toMatchObject({ code: 0 });
  return story;
}

type Ended = { status: string; path: string[] };
const watch = async (story: Story, id: string): Promise<Ended> => {
  const { out, err } = await story.oka('graph', 'run', 'price-watch', '--id', id, '--json');
  expect(err).toBe('');
  return JSON.parse(out) as Ended;
};

/** Runs the graph in a process that dies at this moment, and lets a worker go on. */
async function watchKilled(story: Story, id: string, moment: KillMoment): Promise<void> {
  const env = { OKA_TEST_KILL: JSON.stringify(moment), NODE_OPTIONS: `--import=${killing}` };
  const [, signal] = (await once(story.start(['graph', 'run', 'price-watch', '--id', id], env), 'exit')) as unknown[];
  expect(signal, story.told.join('\n')).toBe('SIGKILL');
  expect(await story.eventsOf('run.ended', id)).toEqual([]);
  story.work();
  await story.until(`the end of ${id}`, async () => (await story.eventsOf('run.ended', id))[0]);
  await story.rest();
}

async function known(story: Story, id: string): Promise<string[]> {
  const { out } = await story.oka('graph', 'state', 'checkpoints', 'price-watch', id, '--json');
  const { checkpoints } = JSON.parse(out) as { checkpoints: { node: string; status: string; known: string[] }[] };
  return checkpoints.map(({ node, status, known: names }) => `${node} ${status}: ${names.join(' ')}`);
}

const prices = async (story: Story): Promise<unknown[]> => {
  const { out } = await story.oka('graph', 'state', 'history', 'price-watch', 'price', '--json');
  return (JSON.parse(out) as { changes: { value: unknown }[] }).changes.map(({ value }) => value);
};

const MOMENTS: [name: string, moment: KillMoment][] = [
  ['before the fetched price is recorded', { pattern: '"call.ended".*"node":"fetch"', times: 1, when: 'before' }],
  ['before the price is remembered', { pattern: '"state":\\{"namespace"', times: 1, when: 'before' }],
  ['right after the price is remembered', { pattern: '"state":\\{"namespace"', times: 1, when: 'after' }],
  ['when what is remembered was read for the report', { pattern: '"node":"report__state"', times: 1, when: 'after' }],
];

describe('a price watcher', () => {
  it('remembers the last price from run to run, and takes the quiet branch when it is the same', async () => {
    await using story = await openShop();
    price = '10';
    expect(await watch(story, 'one')).toMatchObject({
      status: 'done',
      path: ['fetch', 'before', 'changed', 'remember', 'report'],
    });
    expect(story.deskText('price.md')).toBe('It was null, now it is 10.\n');
    expect(await watch(story, 'two')).toMatchObject({ status: 'done', path: ['fetch', 'before', 'changed', 'quiet'] });
    price = '12';
    expect(await watch(story, 'three')).toMatchObject({ status: 'done' });
    expect(story.deskText('price.md')).toBe('It was 10, now it is 12.\n');
    expect(await prices(story)).toEqual(['10', '12']);
    expect(await story.oka('replay', 'three', '--mode', 'decision')).toMatchObject({ code: 0 });
  });

  it.each(casesOf(MOMENTS, ([name]) => name.startsWith('right after')))(
    'that is killed %s goes on with a worker: nothing is remembered twice or lost',
    async (_, moment) => {
      await using story = await openShop();
      price = '10';
      await watch(story, 'one');
      price = '11';
      await watchKilled(story, 'two', moment);
      price = '12';
      await watch(story, 'three');
      expect(await prices(story)).toEqual(['10', '11', '12']);
      expect(story.deskText('price.md')).toBe('It was 11, now it is 12.\n');
      expect(await known(story, 'two')).toEqual(await known(story, 'three'));
      expect(await story.oka('replay', 'two', '--mode', 'decision')).toMatchObject({ code: 0 });
      expect(await verifyLedger(story.home.ledgers.run)).toMatchObject({ state: 'intact' });
    },
  );
});
